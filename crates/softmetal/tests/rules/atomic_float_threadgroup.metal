// `atomic_float` is added to in `device` memory only.
// accept
kernel void k(device atomic_float *f [[buffer(0)]]) { atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed); }
// refuse: 'atomic_fetch_add_explicit'
kernel void k(threadgroup atomic_float *f [[threadgroup(0)]]) {
  atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed); // HERE
}
