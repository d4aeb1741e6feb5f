// A SIMD-group matrix is loaded from memory of its own element type, and stored to such.
// accept
kernel void k(device half *h [[buffer(0)]], device float *f [[buffer(1)]]) {
  simdgroup_half8x8 a;
  simdgroup_float8x8 b;
  simdgroup_load(a, h);
  simdgroup_load(b, f, 8, ulong2(0, 0), true);
  simdgroup_store(b, f);
}
// refuse: 'simdgroup_load'
kernel void k(device half *h [[buffer(0)]], device float *f [[buffer(1)]]) {
  simdgroup_float8x8 b;
  simdgroup_load(b, h); // HERE
  simdgroup_store(b, f);
}
// refuse: 'simdgroup_store'
kernel void k(device half *h [[buffer(0)]]) {
  simdgroup_float8x8 b(1.0f);
  simdgroup_store(b, h); // HERE
}
