// A function constant is in `constant` memory.
// accept
constant int n [[function_constant(0)]];
kernel void k(device int *out [[buffer(0)]]) { out[0] = n; }
// refuse: 'n'
int n [[function_constant(0)]]; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = n; }
