// d · level + m, with levels as in Q4_0.
struct Q4_1 {
  half d, m;
  ushort q[8];
};
template <> struct Blocks<Q4_1> { enum { LENGTH = 32, SHIFT = 5, SHIFTED = 1 }; };
template <> struct LengthOf<Q4_1> { enum { COUNT = 32 }; };

inline Part part_of(device const Q4_1 &block, uint part, thread float4 *q) {
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = part ? high_four(a, b) : low_four(a, b);
  }
  return Part{float(block.d), float(block.m)};
}

// Elements i and i + 16 share a byte.
inline uint2 runs_of(Q4_1, uint part) { return uint2(8 * part, 8 * part + 16); }

inline Levels levels_of(device const Q4_1 &block, uint part) {
  Levels of = {float(block.d), float(block.m)};
  nibbles(block.q + 4 * part, of.q);
  return of;
}
