// `thread_execution_width` and `threads_per_simdgroup` are one thing: a kernel has one of them.
// accept
kernel void k(device int *out [[buffer(0)]], uint width [[thread_execution_width]]) { out[0] = width; }
// refuse: 'again'
kernel void k(device int *out [[buffer(0)]], uint width [[thread_execution_width]],
              uint again [[threads_per_simdgroup]]) { // HERE
  out[0] = width + again;
}
