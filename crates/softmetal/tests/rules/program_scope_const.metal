// `const` does not take the place of `constant`.
// accept
constant const float scale = 2;
kernel void k(device float *out [[buffer(0)]]) { out[0] = scale; }
// refuse: 'scale'
const float scale = 2; // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = scale; }
