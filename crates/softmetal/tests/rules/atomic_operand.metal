// Fetch-and-modify functions are for `atomic_int` and `atomic_uint` in `device` or `threadgroup` memory; `atomic_float` has addition and subtraction, in `device` memory.
// accept
kernel void k(device atomic_uint *u [[buffer(0)]], device atomic_float *f [[buffer(1)]]) {
  atomic_fetch_max_explicit(u, 3u, memory_order_relaxed);
  atomic_fetch_sub_explicit(f, 1.0f, memory_order_relaxed);
}
// refuse: 'atomic_fetch_max_explicit'
kernel void k(device atomic_float *f [[buffer(0)]]) {
  atomic_fetch_max_explicit(f, 1.0f, memory_order_relaxed); // HERE
}
// refuse: 'atomic_fetch_add_explicit'
kernel void k(device atomic_ulong *u [[buffer(0)]]) {
  atomic_fetch_add_explicit(u, 1ul, memory_order_relaxed); // HERE
}
// refuse: 'atomic_fetch_add_explicit'
kernel void k(device atomic_bool *b [[buffer(0)]]) {
  atomic_fetch_add_explicit(b, true, memory_order_relaxed); // HERE
}
// refuse: 'atomic_fetch_add_explicit'
kernel void k(threadgroup atomic_float *f [[threadgroup(0)]]) {
  atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed); // HERE
}
// refuse: 'atomic_fetch_add_explicit'
kernel void k(device int *x [[buffer(0)]]) {
  atomic_fetch_add_explicit(x, 1, memory_order_relaxed); // HERE
}
// refuse: 'atomic_fetch_add_explicit'
kernel void k(device int *out [[buffer(0)]]) {
  out[0] = atomic_fetch_add_explicit((thread atomic_int *)0, 1, memory_order_relaxed); // HERE
}
