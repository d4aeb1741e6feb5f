// `static const` does not take the place of `constant`.
// accept
static constant float scale[] = {2, 3};
kernel void k(device float *out [[buffer(0)]]) { out[0] = scale[1]; }
// refuse: 'scale'
static const float scale[] = {2, 3}; // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = scale[1]; }
