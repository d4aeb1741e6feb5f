// Atomics are in `device` or `threadgroup` memory.
// accept
kernel void k(device int *out [[buffer(0)]]) {
  threadgroup atomic_int t;
  atomic_store_explicit(&t, 1, memory_order_relaxed);
  out[0] = atomic_load_explicit(&t, memory_order_relaxed);
}
// refuse: 'atomic_fetch_add_explicit'
kernel void k(device int *out [[buffer(0)]]) {
  out[0] = atomic_fetch_add_explicit((thread atomic_int *)0, 1, memory_order_relaxed); // HERE
}
