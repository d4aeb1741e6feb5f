// A function constant is no array.
// accept
constant int4 sizes [[function_constant(0)]];
kernel void k(device int *out [[buffer(0)]]) { out[0] = sizes.w; }
// refuse: 'sizes'
constant int sizes[4] [[function_constant(0)]]; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = sizes[0]; }
