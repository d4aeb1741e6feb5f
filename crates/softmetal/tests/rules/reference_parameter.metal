// A reference that a function takes has an address space.
// accept
float twice(const thread float &x) { return 2 * x; }
kernel void k(device float *out [[buffer(0)]]) { float x = out[0]; out[0] = twice(x); }
// refuse: address space
float twice(const float &x) { return 2 * x; } // HERE
kernel void k(device float *out [[buffer(0)]]) { float x = out[0]; out[0] = twice(x); }
// refuse: address space
float twice(float4 &x) { return 2 * x.x; } // HERE
kernel void k(device float *out [[buffer(0)]]) { float4 x = out[0]; out[0] = twice(x); }
