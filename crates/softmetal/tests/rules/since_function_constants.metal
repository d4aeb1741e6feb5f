// Function constants are there since Metal 1.2.
// accept --std=1.2
constant int n [[function_constant(0)]];
kernel void k(device int *out [[buffer(0)]]) { out[0] = n; }
// refuse --std=1.1: function_constant
constant int n [[function_constant(0)]]; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = n; }
