// Position, size and index attributes stand on arguments, not on members of structures.
// accept
struct Where { uint i; };
kernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  Where w = {i};
  out[w.i] = 1;
}
// refuse: 'i'
struct Where {
  uint i [[thread_position_in_grid]]; // HERE
};
kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; }
