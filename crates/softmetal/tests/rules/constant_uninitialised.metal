// A variable in `constant` memory has a value, or is a function constant.
// accept
constant int a = 1;
constant int b [[function_constant(0)]];
kernel void k(device int *out [[buffer(0)]]) { out[0] = a + b; }
// refuse: 'a'
constant int a; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = a; }
