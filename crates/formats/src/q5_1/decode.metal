// As Q4_1 with a fifth bit for each level.
struct Q5_1 {
  half d, m;
  ushort high[2];
  ushort q[8];
};
template <> struct Blocks<Q5_1> { enum { LENGTH = 32, SHIFT = 5, SHIFTED = 1 }; };
template <> struct LengthOf<Q5_1> { enum { COUNT = 32 }; };

inline Part part_of(device const Q5_1 &block, uint part, thread float4 *q) {
  uint high = block.high[part];
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = (part ? high_four(a, b) : low_four(a, b)) + fifth_bits(high, i);
  }
  return Part{float(block.d), float(block.m)};
}

// Elements i and i + 16 share a byte.
inline uint2 runs_of(Q5_1, uint part) { return uint2(8 * part, 8 * part + 16); }

inline Levels levels_of(device const Q5_1 &block, uint part) {
  Levels of = {float(block.d), float(block.m)};
  nibbles(block.q + 4 * part, of.q);
  fifths(block.high, part, of.q);
  return of;
}
