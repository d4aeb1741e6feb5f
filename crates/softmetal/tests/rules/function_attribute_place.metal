// Attributes of a kernel stand at the start of its declaration, not after the parameters or the return type.
// accept
[[max_total_threads_per_threadgroup(64)]] kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; }
[[kernel, max_total_threads_per_threadgroup(64)]] void b(device int *out [[buffer(0)]]) { out[0] = 1; }
[[kernel]] [[max_total_threads_per_threadgroup(64)]] void c(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse: 'max_total_threads_per_threadgroup'
kernel void k(device int *out [[buffer(0)]],
              uint i [[thread_position_in_grid]]) [[max_total_threads_per_threadgroup(64)]] { // HERE
  out[i] = 1;
}
// refuse: 'max_total_threads_per_threadgroup'
kernel [[max_total_threads_per_threadgroup(64)]] void k(device int *out [[buffer(0)]]) { // HERE
  out[0] = 1;
}
// refuse: 'max_total_threads_per_threadgroup'
kernel void [[max_total_threads_per_threadgroup(64)]] k(device int *out [[buffer(0)]]) { // HERE
  out[0] = 1;
}
