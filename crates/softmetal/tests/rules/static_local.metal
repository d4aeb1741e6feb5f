// A variable in a function is not `static`, unless it is in `constant` memory.
// accept
kernel void k(device int *out [[buffer(0)]]) {
  constexpr int n = 3;
  int table[n] = {1, 2, 3};
  out[0] = table[1];
}
// refuse: 'count'
kernel void k(device int *out [[buffer(0)]]) {
  static int count = 0; // HERE
  out[0] = count;
}
// refuse: 'table'
kernel void k(device int *out [[buffer(0)]]) {
  static const int table[] = {1, 2}; // HERE
  out[0] = table[1];
}
