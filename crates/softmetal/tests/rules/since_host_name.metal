// `[[host_name]]` is there since Metal 2.2.
// accept --std=2.2
[[host_name("one")]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse --std=2.1: host_name
[[host_name("one")]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; } // HERE
