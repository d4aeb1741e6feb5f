// Words of the language are no names: `thread`, `device`, `constant`, `kernel`, `half` and others.
// accept
kernel void k(device int *out [[buffer(0)]], uint thread_id [[thread_position_in_grid]]) { int halves = 2; out[thread_id] = halves; }
// refuse: 'thread'
kernel void k(device int *out [[buffer(0)]]) {
  int thread = 1; // HERE
  out[0] = 1;
}
// refuse: 'half'
kernel void k(device float *out [[buffer(0)]]) {
  float half = 0.5f; // HERE
  out[0] = 1;
}
// refuse: 'fragment'
kernel void k(device float *out [[buffer(0)]]) {
  float fragment = 0.5f; // HERE
  out[0] = 1;
}
