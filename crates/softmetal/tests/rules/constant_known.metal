// The value of a variable in `constant` memory is a constant expression.
// accept
constexpr int twice(int x) { return 2 * x; }
constant int a = twice(21);
kernel void k(device int *out [[buffer(0)]]) { out[0] = a; }
// refuse: 'a'
int twice(int x) { return 2 * x; }
constant int a = twice(21); // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = a; }
