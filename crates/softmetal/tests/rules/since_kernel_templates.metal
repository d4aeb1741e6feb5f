// Templates of kernels are there since Metal 2.2.
// accept --std=2.2
template <typename T> kernel void k(device T *out [[buffer(0)]]) { out[0] = 1; }
template [[host_name("k_int")]] kernel void k<int>(device int *);
// refuse --std=2.1: 'k'
template <typename T> kernel void k(device T *out [[buffer(0)]]) { out[0] = 1; } // HERE
template kernel void k<int>(device int *);
