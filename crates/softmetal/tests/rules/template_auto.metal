// Before Metal 4, a template parameter is not `auto`: the language is C++14.
// accept
template <int N> int get() { return N; }
kernel void k(device int *out [[buffer(0)]]) { out[0] = get<3>(); }
// accept --std=4.0
template <auto N> int get() { return N; }
kernel void k(device int *out [[buffer(0)]]) { out[0] = get<3>(); }
// refuse: auto
template <auto N> int get() { return N; } // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = get<3>(); }
