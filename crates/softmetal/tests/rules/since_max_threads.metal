// `[[max_total_threads_per_threadgroup]]` is there since Metal 2.1.
// accept --std=2.1
[[max_total_threads_per_threadgroup(64)]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse --std=2.0: max_total_threads_per_threadgroup
[[max_total_threads_per_threadgroup(64)]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; } // HERE
