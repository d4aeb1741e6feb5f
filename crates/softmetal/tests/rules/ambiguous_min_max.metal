// `min` and `max` take two values of one type: no mixture of `half` and `float`, of signed and unsigned, of `int` and a literal that needs 64 bits.
// accept
kernel void k(device float *out [[buffer(0)]], device half *h [[buffer(1)]], constant int &i [[buffer(2)]], uint u [[thread_position_in_grid]]) {
  out[0] = max(float(h[0]), out[0]) + min(i, int(u)) + max(u, 3u) + min(i, 3);
}
// refuse: 'max' is ambiguous
kernel void k(device float *out [[buffer(0)]], device half *h [[buffer(1)]]) {
  out[0] = max(h[0], out[0]); // HERE
}
// refuse: 'min' is ambiguous
kernel void k(device int *out [[buffer(0)]], constant int &i [[buffer(1)]], uint u [[thread_position_in_grid]]) {
  out[0] = min(i, u); // HERE
}
// refuse: 'max' is ambiguous
kernel void k(device uint *out [[buffer(0)]], uint u [[thread_position_in_grid]]) {
  out[u] = max(u, 3); // HERE
}
// refuse: 'min' is ambiguous
kernel void k(device int *out [[buffer(0)]]) {
  out[0] = min(1, -2147483648); // HERE
}
