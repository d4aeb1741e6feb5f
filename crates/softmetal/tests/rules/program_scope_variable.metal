// A variable outside of functions is in `constant` memory.
// accept
constant float table[2] = {1, 2};
kernel void k(device float *out [[buffer(0)]]) { out[0] = table[1]; }
// refuse: 'counter'
int counter = 0; // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = counter; }
