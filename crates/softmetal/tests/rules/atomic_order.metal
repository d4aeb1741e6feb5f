// The order of an atomic operation is named, and is `memory_order_relaxed`.
// accept
kernel void k(device atomic_int *x [[buffer(0)]]) { atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
// refuse: 'memory_order_acquire'
kernel void k(device atomic_int *x [[buffer(0)]]) {
  atomic_fetch_add_explicit(x, 1, memory_order_acquire); // HERE
}
