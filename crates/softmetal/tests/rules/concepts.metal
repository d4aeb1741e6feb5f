// There are no concepts: the language is C++14, from Metal 4 on C++17.
// accept
template <typename T, typename = enable_if_t<is_integral_v<T>>> T twice(T x) { return 2 * x; }
kernel void k(device int *out [[buffer(0)]]) { out[0] = twice(2); }
// refuse: requires
template <typename T> requires is_integral_v<T> T twice(T x) { return 2 * x; } // HERE
kernel void k(device int *out [[buffer(0)]]) { out[0] = twice(2); }
