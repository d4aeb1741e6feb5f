// The condition of an optional argument is a function constant, or made of some.
// accept
constant int n [[function_constant(0)]];
constant bool many = n > 1;
kernel void k(device int *out [[buffer(0)]], device int *x [[buffer(1), function_constant(many)]]) { if (many) out[0] = x[0]; }
// refuse: 'x'
kernel void k(device int *out [[buffer(0)]],
              device int *x [[buffer(1), function_constant(nothing)]]) { // HERE
  out[0] = x[0];
}
