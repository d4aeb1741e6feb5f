// A barrier is told which memory it orders, by `mem_flags`.
// accept
kernel void k(device int *out [[buffer(0)]]) { threadgroup_barrier(mem_flags::mem_none); out[0] = 1; }
// refuse: 'threadgroup_barrier'
kernel void k(device int *out [[buffer(0)]]) {
  threadgroup_barrier(); // HERE
  out[0] = 1;
}
// refuse: 'threadgroup_barrier'
kernel void k(device int *out [[buffer(0)]]) {
  threadgroup_barrier(3); // HERE
  out[0] = 1;
}
