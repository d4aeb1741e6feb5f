// SIMD-group matrices have 8 columns and 8 rows.
// accept
kernel void k(device float *x [[buffer(0)]]) { simdgroup_float8x8 m(1.0f); simdgroup_store(m, x); }
// refuse: simdgroup
kernel void k(device float *x [[buffer(0)]]) {
  simdgroup_matrix<float, 16, 16> m; // HERE
  x[0] = 1;
}
