// `[[required_threads_per_threadgroup]]` is there since Metal 4.
// accept --std=4.0
[[required_threads_per_threadgroup(32, 1, 1)]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse --std=3.2: required_threads_per_threadgroup
[[required_threads_per_threadgroup(32, 1, 1)]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; } // HERE
