// y = W x with W in blocks of 256: eight parts with 6-bit scales and minima, 4-bit numbers.
// Two SIMD-groups a threadgroup, one row each.
#include <metal_stdlib>
using namespace metal;

struct Block {
  half d, dmin;
  uchar scales[12];
  uchar q[128];
};
static_assert(sizeof(Block) == 144, "a block has 144 bytes");

static float2 part(device const Block &b, uint j) {
  uint scale, low;
  if (j < 4) {
    scale = b.scales[j] & 63, low = b.scales[j + 4] & 63;
  } else {
    scale = (b.scales[j + 4] & 15) | (b.scales[j - 4] >> 6) << 4;
    low = (b.scales[j + 4] >> 4) | (b.scales[j] >> 6) << 4;
  }
  return float2(float(b.d) * scale, float(b.dmin) * low);
}

kernel void matvec(device const Block *w [[buffer(0)]], device const float *x [[buffer(1)]],
                   device float *y [[buffer(2)]], constant uint2 &size [[buffer(3)]],
                   uint g [[threadgroup_position_in_grid]], uint sg [[simdgroup_index_in_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]]) {
  const uint rows = size.x, blocks = size.y / 256, row = g * 2 + sg;
  if (row >= rows) return;
  float sum = 0;
  for (uint b = 0; b < blocks; b++) {
    device const Block &block = w[row * blocks + b];
    device const float *in = x + b * 256;
    for (uint j = 0; j < 8; j++) {
      const float2 p = part(block, j);
      const uint byte = block.q[j / 2 * 32 + lane];
      const float q = j % 2 ? byte >> 4 : byte & 15;
      sum += (p.x * q - p.y) * in[j * 32 + lane];
    }
  }
  sum = simd_sum(sum);
  if (lane == 0) y[row] = sum;
}
