// `[[user_annotation]]` is there since Metal 4.
// accept --std=4.0
[[user_annotation("mine")]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse --std=3.2: user_annotation
[[user_annotation("mine")]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; } // HERE
