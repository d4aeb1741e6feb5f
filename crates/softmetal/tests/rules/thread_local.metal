// There is no `thread_local`.
// accept
kernel void k(device int *out [[buffer(0)]]) { thread int x = 1; out[0] = x; }
// refuse: thread_local
kernel void k(device int *out [[buffer(0)]]) {
  thread_local int x = 1; // HERE
  out[0] = x;
}
