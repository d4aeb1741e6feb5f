// A pointer or reference in a template has an address space as well.
// accept
template <typename T> void add(thread T &x, const device T *y) { x += *y; }
kernel void k(device float *out [[buffer(0)]]) { float x = 1; add(x, out); out[0] = x; }
// refuse: address space
template <typename T> void add(thread T &x, const T *y) { x += *y; } // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1; }
