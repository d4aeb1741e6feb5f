// Indices and counts of quad-groups are there since Metal 2.1.
// accept --std=2.1
kernel void k(device int *out [[buffer(0)]], uint lane [[thread_index_in_quadgroup]]) { out[lane] = 1; }
// refuse --std=2.0: thread_index_in_quadgroup
kernel void k(device int *out [[buffer(0)]], uint lane [[thread_index_in_quadgroup]]) { // HERE
  out[lane] = 1;
}
