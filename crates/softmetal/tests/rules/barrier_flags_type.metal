// The flags of a barrier are `mem_flags`, not a number.
// accept
kernel void k(device int *out [[buffer(0)]]) { simdgroup_barrier(mem_flags::mem_threadgroup); out[0] = 1; }
// refuse: 'threadgroup_barrier'
kernel void k(device int *out [[buffer(0)]]) {
  threadgroup_barrier(3); // HERE
  out[0] = 1;
}
