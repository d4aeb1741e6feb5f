// d · byte.
struct Q8_0 {
  half d;
  ushort q[16];
};
template <> struct Blocks<Q8_0> { enum { LENGTH = 32, SHIFT = 5, SHIFTED = 0 }; };
template <> struct LengthOf<Q8_0> { enum { COUNT = 32 }; };

inline Part part_of(device const Q8_0 &block, uint part, thread float4 *q) {
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[8 * part + 2 * i], b = block.q[8 * part + 2 * i + 1];
    q[i] = float4(signed_byte(a), signed_byte(a >> 8), signed_byte(b), signed_byte(b >> 8));
  }
  return Part{float(block.d), 0};
}

inline uint2 runs_of(Q8_0, uint part) { return uint2(16 * part, 16 * part + 8); }

inline Levels levels_of(device const Q8_0 &block, uint part) {
  Levels of;
  Part by = part_of(block, part, of.q);
  of.scale = by.scale;
  of.shift = 0;
  return of;
}
