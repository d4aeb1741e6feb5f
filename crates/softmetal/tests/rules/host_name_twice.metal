// Two kernels have different names for the host.
// accept
[[host_name("first")]] kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; }
[[host_name("second")]] kernel void b(device int *out [[buffer(0)]]) { out[0] = 2; }
// refuse: 'same'
[[host_name("same")]] kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; }
[[host_name("same")]] kernel void b(device int *out [[buffer(0)]]) { out[0] = 2; } // HERE
