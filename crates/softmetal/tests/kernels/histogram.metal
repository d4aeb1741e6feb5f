// A histogram: counted in threadgroup memory, then added to the whole.
#include <metal_stdlib>
using namespace metal;

kernel void histogram(device const uchar *x [[buffer(0)]], device atomic_uint *bins [[buffer(1)]],
                      constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]],
                      uint all [[threads_per_grid]], uint t [[thread_index_in_threadgroup]],
                      uint size [[threads_per_threadgroup]]) {
  threadgroup atomic_uint own[256];
  for (uint b = t; b < 256; b += size) atomic_store_explicit(&own[b], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = i; k < n; k += all) atomic_fetch_add_explicit(&own[x[k]], 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint b = t; b < 256; b += size) {
    uint c = atomic_load_explicit(&own[b], memory_order_relaxed);
    if (c) atomic_fetch_add_explicit(&bins[b], c, memory_order_relaxed);
  }
}
