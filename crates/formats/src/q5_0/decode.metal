// As Q4_0 with a fifth bit for each level; d · (level - 16).
struct Q5_0 {
  half d;
  ushort high[2];
  ushort q[8];
};
template <> struct Blocks<Q5_0> { enum { LENGTH = 32, SHIFT = 5, SHIFTED = 0 }; };
template <> struct LengthOf<Q5_0> { enum { COUNT = 32 }; };

inline Part part_of(device const Q5_0 &block, uint part, thread float4 *q) {
  uint high = block.high[part];
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = (part ? high_four(a, b) : low_four(a, b)) + fifth_bits(high, i) - 16;
  }
  return Part{float(block.d), 0};
}

// Elements i and i + 16 share a byte.
inline uint2 runs_of(Q5_0, uint part) { return uint2(8 * part, 8 * part + 16); }

inline Levels levels_of(device const Q5_0 &block, uint part) {
  Levels of = {float(block.d), 0};
  nibbles(block.q + 4 * part, of.q);
  fifths(block.high, part, of.q);
  for (int i = 0; i < 4; i++) of.q[i] -= 16;
  return of;
}
