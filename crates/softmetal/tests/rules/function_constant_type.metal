// A function constant is a scalar or a vector.
// accept
constant float2 origin [[function_constant(0)]];
kernel void k(device float *out [[buffer(0)]]) { out[0] = origin.x; }
// refuse: 'sizes'
struct Sizes { int n; };
constant Sizes sizes [[function_constant(0)]]; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = sizes.n; }
