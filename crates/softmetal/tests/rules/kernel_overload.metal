// Kernels cannot be overloaded: each has a name of its own.
// accept
kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; }
kernel void b(device float *out [[buffer(0)]]) { out[0] = 1; }
// refuse: 'a'
kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; }
kernel void a(device float *out [[buffer(0)]]) { out[0] = 1; } // HERE
