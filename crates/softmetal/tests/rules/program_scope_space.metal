// A variable outside of functions is not in `device`, `thread` or `threadgroup` memory.
// accept
constant int limit = 4;
kernel void k(device float *out [[buffer(0)]]) { threadgroup float t[4]; t[0] = limit; out[0] = t[0]; }
// refuse: 'shared'
threadgroup float shared[4]; // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = shared[0]; }
// refuse: 'value'
device float value = 1; // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = value; }
