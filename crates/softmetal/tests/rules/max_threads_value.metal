// `[[max_total_threads_per_threadgroup(n)]]` has a positive constant.
// accept
template <int N> [[kernel, max_total_threads_per_threadgroup(N * 32)]] void t(device int *out [[buffer(0)]]) { out[0] = N; }
template [[host_name("t_2")]] [[kernel]] void t<2>(device int *out [[buffer(0)]]);
// refuse: 'k'
[[max_total_threads_per_threadgroup(0)]] kernel void k(device int *out [[buffer(0)]]) { out[0] = 1; } // HERE
