// A copy, to measure what memory can move.
#include <metal_stdlib>
using namespace metal;

kernel void copy(device const float4 *from [[buffer(0)]], device float4 *to [[buffer(1)]],
                 uint i [[thread_position_in_grid]], uint threads [[threads_per_grid]]) {
  for (uint k = 0; k < EACH; k++) to[i + k * threads] = from[i + k * threads];
}
