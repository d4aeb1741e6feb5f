// `[[kernel]]` is there since Metal 2.3; before it is `kernel`.
// accept --std=2.3
[[kernel]] void k(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse --std=2.2: 'k'
[[kernel]] void k(device int *out [[buffer(0)]]) { out[0] = 1; } // HERE
