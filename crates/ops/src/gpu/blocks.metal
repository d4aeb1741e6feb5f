// The block formats, bit for bit as GGUF has them. For each: LENGTH elements of a block, one
// element of it, and 16 neighbouring ones at once. The scales are halves, so all are aligned to 2.

// d · (level - 8); byte i holds levels i (low) and i + 16 (high).
struct Q4_0 {
  half d;
  ushort q[8];
};
// d · level + m.
struct Q4_1 {
  half d, m;
  ushort q[8];
};
// As Q4_0 with a fifth bit for each level; d · (level - 16).
struct Q5_0 {
  half d;
  ushort high[2];
  ushort q[8];
};
struct Q5_1 {
  half d, m;
  ushort high[2];
  ushort q[8];
};
// d · byte.
struct Q8_0 {
  half d;
  ushort q[16];
};
// d · scale · level - dmin · min for each 32; of 32 bytes the low halves are one group and the high
// halves the next.
struct Q4_K {
  half d, dmin;
  ushort scales[6];
  ushort q[64];
};
// The same with fifth bits: bit i of byte j belongs to value j of group i.
struct Q5_K {
  half d, dmin;
  ushort scales[6];
  ushort high[16];
  ushort q[64];
};
// d · scale · (level - 32) for each 16.
struct Q6_K {
  ushort low[64];
  ushort high[32];
  ushort scales[8];
  half d;
};

template <typename B> struct Blocks { enum { LENGTH = 32, SHIFT = 5 }; };
template <> struct Blocks<Q4_K> { enum { LENGTH = 256, SHIFT = 8 }; };
template <> struct Blocks<Q5_K> { enum { LENGTH = 256, SHIFT = 8 }; };
template <> struct Blocks<Q6_K> { enum { LENGTH = 256, SHIFT = 8 }; };

template <> struct LengthOf<Q4_0> { enum { COUNT = Blocks<Q4_0>::LENGTH }; };
template <> struct LengthOf<Q4_1> { enum { COUNT = Blocks<Q4_1>::LENGTH }; };
template <> struct LengthOf<Q5_0> { enum { COUNT = Blocks<Q5_0>::LENGTH }; };
template <> struct LengthOf<Q5_1> { enum { COUNT = Blocks<Q5_1>::LENGTH }; };
template <> struct LengthOf<Q8_0> { enum { COUNT = Blocks<Q8_0>::LENGTH }; };
template <> struct LengthOf<Q4_K> { enum { COUNT = Blocks<Q4_K>::LENGTH }; };
template <> struct LengthOf<Q5_K> { enum { COUNT = Blocks<Q5_K>::LENGTH }; };
template <> struct LengthOf<Q6_K> { enum { COUNT = Blocks<Q6_K>::LENGTH }; };

inline uint byte_of(device const ushort *pairs, uint i) { return pairs[i / 2] >> (i % 2 * 8) & 255; }
// The same as a signed number.
inline float signed_byte(uint byte) { return float(int(byte << 24) >> 24); }

// Scale and minimum of group `i` of eight, as Q4_K and Q5_K pack them in 6 bits.
inline uint2 six_bits(device const ushort *packed, uint i) {
  if (i < 4) return uint2(byte_of(packed, i) & 63, byte_of(packed, i + 4) & 63);
  uint both = byte_of(packed, i + 4);
  return uint2((both & 15) | (byte_of(packed, i - 4) >> 6 << 4),
               both >> 4 | (byte_of(packed, i) >> 6 << 4));
}

// What makes values of the levels `q` of sixteen neighbours, from `16 * part` of a block on:
// value = scale · q + shift. The shift is 0 but for formats with minima.
struct Part {
  float scale, shift;
};

// Four levels of 4 bits from two pairs of bytes.
inline float4 low_four(uint a, uint b) { return float4(a & 15, a >> 8 & 15, b & 15, b >> 8 & 15); }
inline float4 high_four(uint a, uint b) { return low_four(a >> 4, b >> 4); }

inline Part part_of(device const Q4_0 &block, uint part, thread float4 *q) {
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = (part ? high_four(a, b) : low_four(a, b)) - 8;
  }
  return Part{float(block.d), 0};
}

inline Part part_of(device const Q4_1 &block, uint part, thread float4 *q) {
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = part ? high_four(a, b) : low_four(a, b);
  }
  return Part{float(block.d), float(block.m)};
}

// Sixteen each, of which bit i belongs to level i.
inline float4 fifth_bits(uint high, uint i) {
  uint bits = high >> (4 * i);
  return float4((bits & 1) << 4, (bits & 2) << 3, (bits & 4) << 2, (bits & 8) << 1);
}

inline Part part_of(device const Q5_0 &block, uint part, thread float4 *q) {
  uint high = block.high[part];
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = (part ? high_four(a, b) : low_four(a, b)) + fifth_bits(high, i) - 16;
  }
  return Part{float(block.d), 0};
}

inline Part part_of(device const Q5_1 &block, uint part, thread float4 *q) {
  uint high = block.high[part];
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[2 * i], b = block.q[2 * i + 1];
    q[i] = (part ? high_four(a, b) : low_four(a, b)) + fifth_bits(high, i);
  }
  return Part{float(block.d), float(block.m)};
}

inline Part part_of(device const Q8_0 &block, uint part, thread float4 *q) {
  for (uint i = 0; i < 4; i++) {
    uint a = block.q[8 * part + 2 * i], b = block.q[8 * part + 2 * i + 1];
    q[i] = float4(signed_byte(a), signed_byte(a >> 8), signed_byte(b), signed_byte(b >> 8));
  }
  return Part{float(block.d), 0};
}

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

// Element `i` of rows of blocks that start at `blocks`; `i` may be below 0.
template <typename B> inline float element(device const B *blocks, long i) {
  float4 q[4];
  uint within = uint(i) & (Blocks<B>::LENGTH - 1);
  Part by = part_of(blocks[i >> Blocks<B>::SHIFT], within / 16, q);
  return by.scale * q[within % 16 / 4][within % 4] + by.shift;
}
