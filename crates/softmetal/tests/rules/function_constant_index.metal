// The index of a function constant is from 0 to 65535.
// accept
constant int n [[function_constant(65534)]];
kernel void k(device int *out [[buffer(0)]]) { out[0] = n; }
// refuse: 'n'
constant int n [[function_constant(65536)]]; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = n; }
