// As Q4_K with fifth bits: bit i of byte j belongs to value j of group i.
struct Q5_K {
  half d, dmin;
  ushort scales[6];
  ushort high[16];
  ushort q[64];
};
template <> struct Blocks<Q5_K> { enum { LENGTH = 256, SHIFT = 8, SHIFTED = 1 }; };
template <> struct LengthOf<Q5_K> { enum { COUNT = 256 }; };

inline Part part_of(device const Q5_K &block, uint part, thread float4 *q) {
  uint group = part / 2;
  device const ushort *pairs = block.q + group / 2 * 16 + part % 2 * 8;
  device const ushort *high = block.high + part % 2 * 8;
  for (uint i = 0; i < 4; i++) {
    uint a = pairs[2 * i], b = pairs[2 * i + 1];
    uint c = uint(high[2 * i]) >> group, d = uint(high[2 * i + 1]) >> group;
    float4 fifth = float4((c & 1) << 4, (c >> 8 & 1) << 4, (d & 1) << 4, (d >> 8 & 1) << 4);
    q[i] = (group % 2 ? high_four(a, b) : low_four(a, b)) + fifth;
  }
  uint2 by = six_bits(block.scales, group);
  return Part{float(block.d) * by.x, -float(block.dmin) * by.y};
}

// As in Q4_K.
inline uint2 runs_of(Q5_K, uint part) {
  uint first = part / 4 * 64 + part % 4 * 8;
  return uint2(first, first + 32);
}

inline Levels levels_of(device const Q5_K &block, uint part) {
  Levels of;
  scales_of_64(block, part, of);
  nibbles(block.q + 4 * part, of.q);
  device const ushort *high = block.high + part % 4 * 4;
  uint bit = part / 4 * 2;
  for (uint i = 0; i < 2; i++) {
    uint a = high[2 * i], b = high[2 * i + 1];
    of.q[i] += bits_16(a, b, bit);
    of.q[2 + i] += bits_16(a, b, bit + 1);
  }
  return of;
}
