// What a buffer's pointer points at has an address space at every level.
// accept
struct Tables { device float *first; device float *second; };
kernel void k(constant Tables &t [[buffer(0)]]) { t.first[0] = t.second[0]; }
// refuse: address space
struct Tables { float *first; }; // HERE
kernel void k(constant Tables &t [[buffer(0)]], device int *out [[buffer(1)]]) { out[0] = t.first[0]; }
