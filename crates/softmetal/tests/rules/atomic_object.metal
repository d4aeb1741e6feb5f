// Atomic functions work on atomic objects.
// accept
kernel void k(device atomic_int *x [[buffer(0)]]) { atomic_store_explicit(x, 1, memory_order_relaxed); }
// refuse: 'atomic_fetch_add_explicit'
kernel void k(device int *x [[buffer(0)]]) {
  atomic_fetch_add_explicit(x, 1, memory_order_relaxed); // HERE
}
