// d · scale · level - dmin · min for each 32; of 32 bytes the low halves are one group and the high
// halves the next.
struct Q4_K {
  half d, dmin;
  ushort scales[6];
  ushort q[64];
};
template <> struct Blocks<Q4_K> { enum { LENGTH = 256, SHIFT = 8, SHIFTED = 1 }; };
template <> struct LengthOf<Q4_K> { enum { COUNT = 256 }; };

inline Part part_of(device const Q4_K &block, uint part, thread float4 *q) {
  uint group = part / 2;
  device const ushort *pairs = block.q + group / 2 * 16 + part % 2 * 8;
  for (uint i = 0; i < 4; i++) {
    uint a = pairs[2 * i], b = pairs[2 * i + 1];
    q[i] = group % 2 ? high_four(a, b) : low_four(a, b);
  }
  uint2 by = six_bits(block.scales, group);
  return Part{float(block.d) * by.x, -float(block.dmin) * by.y};
}

// Of each 64, elements i and i + 32 share a byte.
inline uint2 runs_of(Q4_K, uint part) {
  uint first = part / 4 * 64 + part % 4 * 8;
  return uint2(first, first + 32);
}

inline Levels levels_of(device const Q4_K &block, uint part) {
  Levels of;
  scales_of_64(block, part, of);
  nibbles(block.q + 4 * part, of.q);
  return of;
}
