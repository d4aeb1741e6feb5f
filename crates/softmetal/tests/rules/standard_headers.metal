// Headers of the C++ library are not there.
// accept
#include <metal_math>
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1; }
// refuse: 'vector'
#include <vector> // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1; }
