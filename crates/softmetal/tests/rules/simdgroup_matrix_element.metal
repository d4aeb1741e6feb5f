// SIMD-group matrices are of `float`, `half` or `bfloat`.
// accept
kernel void k(device half *x [[buffer(0)]]) {
  simdgroup_matrix<half, 8, 8> m;
  simdgroup_load(m, x);
  simdgroup_store(m, x);
}
// refuse: simdgroup
kernel void k(device int *x [[buffer(0)]]) {
  simdgroup_matrix<int, 8, 8> m; // HERE
  x[0] = 1;
}
