// A function constant has no value in the source: the host gives it.
// accept
constant int n [[function_constant(0)]];
constant int m = is_function_constant_defined(n) ? n : 4;
kernel void k(device int *out [[buffer(0)]]) { out[0] = m; }
// refuse: 'n'
constant int n [[function_constant(0)]] = 4; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = n; }
