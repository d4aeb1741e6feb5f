// Atomics are of `int`, `uint`, `bool`, `ulong` or `float`.
// accept
kernel void k(device atomic<uint> *x [[buffer(0)]]) { atomic_fetch_add_explicit(x, 1u, memory_order_relaxed); }
// refuse: atomic
kernel void k(device uint *out [[buffer(0)]]) {
  threadgroup atomic<half> x; // HERE
  out[0] = 1;
}
