// SIMD-group matrices are there since Metal 2.3.
// accept --std=2.3
kernel void k(device float *x [[buffer(0)]]) { simdgroup_float8x8 m; simdgroup_load(m, x); simdgroup_store(m, x); }
// refuse --std=2.2: simdgroup_float8x8
kernel void k(device float *x [[buffer(0)]]) {
  simdgroup_float8x8 m; // HERE
  simdgroup_load(m, x);
  simdgroup_store(m, x);
}
