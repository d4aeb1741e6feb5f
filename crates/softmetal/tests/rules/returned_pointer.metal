// A pointer or reference that a function returns has an address space.
// accept
device float *after(device float *p) { return p + 1; }
kernel void k(device float *out [[buffer(0)]]) { *after(out) = 1; }
// refuse: address space
float *after(device float *p) { return p + 1; } // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1; }
