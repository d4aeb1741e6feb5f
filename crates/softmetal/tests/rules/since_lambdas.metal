// Lambdas are there since Metal 3.2.
// accept --std=3.2
kernel void k(device float *out [[buffer(0)]]) { auto twice = [](float x) { return 2 * x; }; out[0] = twice(out[0]); }
// refuse --std=3.1: lambda
kernel void k(device float *out [[buffer(0)]]) {
  auto twice = [](float x) { return 2 * x; }; // HERE
  out[0] = twice(out[0]);
}
