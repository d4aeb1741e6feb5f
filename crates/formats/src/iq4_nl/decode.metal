// d · book[number]; byte i holds numbers i (low) and i + 16 (high).
struct IQ4_NL {
  half d;
  ushort q[8];
};
template <> struct Blocks<IQ4_NL> { enum { LENGTH = 32, SHIFT = 5, SHIFTED = 0 }; };
template <> struct LengthOf<IQ4_NL> { enum { COUNT = 32 }; };

constant float IQ4_NL_BOOK[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                  1,    13,   25,  38,  53,  69,  89,  113};

// Four values from the low halves of two pairs of bytes.
inline float4 four_of_book(uint a, uint b) {
  return float4(IQ4_NL_BOOK[a & 15], IQ4_NL_BOOK[a >> 8 & 15], IQ4_NL_BOOK[b & 15],
                IQ4_NL_BOOK[b >> 8 & 15]);
}

inline Part part_of(device const IQ4_NL &block, uint part, thread float4 *q) {
  for (uint i = 0; i < 4; i++) {
    q[i] = four_of_book(uint(block.q[2 * i]) >> (4 * part), uint(block.q[2 * i + 1]) >> (4 * part));
  }
  return Part{float(block.d), 0};
}

// Elements i and i + 16 share a byte.
inline uint2 runs_of(IQ4_NL, uint part) { return uint2(8 * part, 8 * part + 16); }

inline Levels levels_of(device const IQ4_NL &block, uint part) {
  Levels of = {float(block.d), 0};
  for (uint i = 0; i < 2; i++) {
    uint a = block.q[4 * part + 2 * i], b = block.q[4 * part + 2 * i + 1];
    of.q[i] = four_of_book(a, b);
    of.q[2 + i] = four_of_book(a >> 4, b >> 4);
  }
  return of;
}
