// A function constant is no constant expression: it cannot be the length of an array.
// accept
constant int n [[function_constant(0)]];
kernel void k(device int *out [[buffer(0)]]) { int t[8] = {}; for (int i = 0; i < n && i < 8; i++) t[i] = i; out[0] = t[7]; }
// refuse: 'n'
constant int n [[function_constant(0)]];
kernel void k(device int *out [[buffer(0)]]) {
  int t[n]; // HERE
  t[0] = 1;
  out[0] = t[0];
}
