// d · (level - 8); byte i holds levels i (low) and i + 16 (high).
struct Q4_0 {
  half d;
  ushort q[8];
};
template <> struct Blocks<Q4_0> { enum { LENGTH = 32, SHIFT = 5, SHIFTED = 0 }; };
template <> struct LengthOf<Q4_0> { enum { COUNT = 32 }; };

inline Part part_of(device const Q4_0 &block, uint part, thread float4 *q) {
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = (part ? high_four(a, b) : low_four(a, b)) - 8;
  }
  return Part{float(block.d), 0};
}

// Elements i and i + 16 share a byte.
inline uint2 runs_of(Q4_0, uint part) { return uint2(8 * part, 8 * part + 16); }

inline Levels levels_of(device const Q4_0 &block, uint part) {
  Levels of = {float(block.d), 0};
  nibbles(block.q + 4 * part, of.q);
  for (int i = 0; i < 4; i++) of.q[i] -= 8;
  return of;
}
