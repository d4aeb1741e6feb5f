// A kernel does not call a kernel.
// accept
void work(device int *out) { out[0] = 1; }
kernel void a(device int *out [[buffer(0)]]) { work(out); }
kernel void exp(device float *out [[buffer(0)]], device float *x [[buffer(1)]]) { out[0] = exp(x[0]); }
// refuse: 'a'
kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; }
kernel void b(device int *out [[buffer(0)]]) {
  a(out); // HERE
}
