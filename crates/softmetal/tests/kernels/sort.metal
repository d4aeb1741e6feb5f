// Bitonic sort: one threadgroup sorts up to 256 keys, padded with the largest.
#include <metal_stdlib>
using namespace metal;

kernel void bitonic(device uint *keys [[buffer(0)]], constant uint &n [[buffer(1)]],
                    uint t [[thread_index_in_threadgroup]], uint size [[threads_per_threadgroup]]) {
  threadgroup uint s[256];
  s[t] = t < n ? keys[t] : UINT_MAX;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint run = 2; run <= size; run *= 2) {
    for (uint step = run / 2; step > 0; step /= 2) {
      uint other = t ^ step;
      if (other > t) {
        bool up = (t & run) == 0;
        uint a = s[t], b = s[other];
        if ((a > b) == up) {
          s[t] = b;
          s[other] = a;
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
  if (t < n) keys[t] = s[t];
}
