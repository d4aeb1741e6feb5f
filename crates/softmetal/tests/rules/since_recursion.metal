// Functions may call themselves since Metal 2.4.
// accept --std=2.4
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
kernel void k(device int *out [[buffer(0)]]) { out[0] = factorial(5); }
// refuse --std=2.3: 'factorial'
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); } // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = factorial(5); }
// refuse --std=2.3: 'odd'
bool even(int n);
bool odd(int n) { return n == 0 ? false : even(n - 1); } // HERE
bool even(int n) { return n == 0 ? true : odd(n - 1); }
kernel void k(device int *out [[buffer(0)]]) { out[0] = odd(5); }
