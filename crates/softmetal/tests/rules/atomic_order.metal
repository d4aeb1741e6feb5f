// There is no `memory_order_acquire`, `…_release` or `…_acq_rel`: atomics are relaxed.
// accept
kernel void k(device atomic_int *x [[buffer(0)]]) { atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
// refuse: 'memory_order_acquire'
kernel void k(device atomic_int *x [[buffer(0)]]) {
  atomic_fetch_add_explicit(x, 1, memory_order_acquire); // HERE
}
