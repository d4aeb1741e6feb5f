// Pointers to functions are there since Metal 2.3.
// accept --std=2.3
int twice(int x) { return 2 * x; }
kernel void k(device int *out [[buffer(0)]]) { int (*f)(int) = twice; out[0] = f(2); }
// refuse --std=2.2: 'f'
int twice(int x) { return 2 * x; }
kernel void k(device int *out [[buffer(0)]]) {
  int (*f)(int) = twice; // HERE
  out[0] = f(2);
}
