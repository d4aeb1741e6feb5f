// d · scale · (level - 32) for each 16.
struct Q6_K {
  ushort low[64];
  ushort high[32];
  ushort scales[8];
  half d;
};
template <> struct Blocks<Q6_K> { enum { LENGTH = 256, SHIFT = 8, SHIFTED = 0 }; };
template <> struct LengthOf<Q6_K> { enum { COUNT = 256 }; };

inline Part part_of(device const Q6_K &block, uint part, thread float4 *q) {
  // Of each half of the block, part / 2 of its eight says which 32 and part % 2 which 16 of them.
  uint half_of = part / 8, k = part % 8 / 2;
  device const ushort *low = block.low + 32 * half_of + k % 2 * 16 + part % 2 * 8;
  device const ushort *high = block.high + 16 * half_of + part % 2 * 8;
  for (uint i = 0; i < 4; i++) {
    uint a = low[2 * i], b = low[2 * i + 1];
    uint c = uint(high[2 * i]) >> (2 * k), d = uint(high[2 * i + 1]) >> (2 * k);
    float4 top = float4((c & 3) << 4, (c >> 8 & 3) << 4, (d & 3) << 4, (d >> 8 & 3) << 4);
    q[i] = (k / 2 ? high_four(a, b) : low_four(a, b)) + top - 32;
  }
  return Part{float(block.d) * signed_byte(byte_of(block.scales, part)), 0};
}

// Of each 128, elements i and i + 64 share a byte.
inline uint2 runs_of(Q6_K, uint part) {
  uint first = part / 8 * 128 + part % 8 * 8;
  return uint2(first, first + 64);
}

inline Levels levels_of(device const Q6_K &block, uint part) {
  Levels of;
  uint half_of = part / 8, within = part % 8;
  nibbles(block.low + 32 * half_of + 4 * within, of.q);
  device const ushort *high = block.high + 16 * half_of + within % 4 * 4;
  // Two bits each: those of the first 32 lowest.
  uint bit = within / 4 * 2;
  for (uint i = 0; i < 2; i++) {
    uint a = uint(high[2 * i]) >> bit, b = uint(high[2 * i + 1]) >> bit;
    of.q[i] += float4((a & 3) << 4, (a >> 8 & 3) << 4, (b & 3) << 4, (b >> 8 & 3) << 4) - 32;
    a >>= 4, b >>= 4;
    of.q[2 + i] += float4((a & 3) << 4, (a >> 8 & 3) << 4, (b & 3) << 4, (b >> 8 & 3) << 4) - 32;
  }
  uint scale = 8 * half_of + within / 2;
  of.scale = float(block.d) * float2(signed_byte(byte_of(block.scales, scale)),
                                     signed_byte(byte_of(block.scales, scale + 4)));
  of.shift = 0;
  return of;
}
