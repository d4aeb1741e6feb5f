// Sixteen levels of a block, as its bytes hold them: two runs of eight neighbours, so that no byte
// is read twice. `RunsOf<B>` says how many such parts a block has, `runs_of` where the runs of a part
// start, `levels_of` what they are: value = scale · level + shift, with x for the first run and y
// for the second.
struct Levels {
  float2 scale, shift;
  float4 q[4];
};

template <typename B> struct RunsOf { enum { PARTS = Blocks<B>::LENGTH / 16 }; };

// Whether a format has minima.
template <typename B> struct Shifted { enum { HOLDS = 0 }; };
template <> struct Shifted<Q4_1> { enum { HOLDS = 1 }; };
template <> struct Shifted<Q5_1> { enum { HOLDS = 1 }; };
template <> struct Shifted<Q4_K> { enum { HOLDS = 1 }; };
template <> struct Shifted<Q5_K> { enum { HOLDS = 1 }; };

// The levels become the values themselves.
inline void settle(thread Levels &of) {
  of.q[0] = fma(float4(of.scale.x), of.q[0], float4(of.shift.x));
  of.q[1] = fma(float4(of.scale.x), of.q[1], float4(of.shift.x));
  of.q[2] = fma(float4(of.scale.y), of.q[2], float4(of.shift.y));
  of.q[3] = fma(float4(of.scale.y), of.q[3], float4(of.shift.y));
  of.scale = 1;
}

// Formats of 32 with 4 low bits: elements i and i + 16 share a byte.
inline uint2 runs_of(Q4_0, uint part) { return uint2(8 * part, 8 * part + 16); }
inline uint2 runs_of(Q4_1, uint part) { return uint2(8 * part, 8 * part + 16); }
inline uint2 runs_of(Q5_0, uint part) { return uint2(8 * part, 8 * part + 16); }
inline uint2 runs_of(Q5_1, uint part) { return uint2(8 * part, 8 * part + 16); }
inline uint2 runs_of(Q8_0, uint part) { return uint2(16 * part, 16 * part + 8); }
// Of each 64, elements i and i + 32 do.
inline uint2 runs_of(Q4_K, uint part) {
  uint first = part / 4 * 64 + part % 4 * 8;
  return uint2(first, first + 32);
}
inline uint2 runs_of(Q5_K, uint part) { return runs_of(Q4_K(), part); }
// Of each 128, elements i and i + 64 do.
inline uint2 runs_of(Q6_K, uint part) {
  uint first = part / 8 * 128 + part % 8 * 8;
  return uint2(first, first + 64);
}

// The low and the high halves of eight bytes.
inline void nibbles(device const ushort *pairs, thread float4 *q) {
  uint a = pairs[0], b = pairs[1], c = pairs[2], d = pairs[3];
  q[0] = low_four(a, b);
  q[1] = low_four(c, d);
  q[2] = high_four(a, b);
  q[3] = high_four(c, d);
}

inline Levels levels_of(device const Q4_0 &block, uint part) {
  Levels of = {float(block.d), 0};
  nibbles(block.q + 4 * part, of.q);
  for (int i = 0; i < 4; i++) of.q[i] -= 8;
  return of;
}

inline Levels levels_of(device const Q4_1 &block, uint part) {
  Levels of = {float(block.d), float(block.m)};
  nibbles(block.q + 4 * part, of.q);
  return of;
}

inline void fifths(device const ushort *high, uint part, thread float4 *q) {
  uint first = uint(high[0]) >> (8 * part), second = uint(high[1]) >> (8 * part);
  q[0] += fifth_bits(first, 0);
  q[1] += fifth_bits(first, 1);
  q[2] += fifth_bits(second, 0);
  q[3] += fifth_bits(second, 1);
}

inline Levels levels_of(device const Q5_0 &block, uint part) {
  Levels of = {float(block.d), 0};
  nibbles(block.q + 4 * part, of.q);
  fifths(block.high, part, of.q);
  for (int i = 0; i < 4; i++) of.q[i] -= 16;
  return of;
}

inline Levels levels_of(device const Q5_1 &block, uint part) {
  Levels of = {float(block.d), float(block.m)};
  nibbles(block.q + 4 * part, of.q);
  fifths(block.high, part, of.q);
  return of;
}

inline Levels levels_of(device const Q8_0 &block, uint part) {
  Levels of;
  Part by = part_of(block, part, of.q);
  of.scale = by.scale;
  of.shift = 0;
  return of;
}

template <typename B> inline void scales_of_64(device const B &block, uint part, thread Levels &of) {
  uint2 low = six_bits(block.scales, part / 4 * 2), high = six_bits(block.scales, part / 4 * 2 + 1);
  of.scale = float(block.d) * float2(low.x, high.x);
  of.shift = -float(block.dmin) * float2(low.y, high.y);
}

inline Levels levels_of(device const Q4_K &block, uint part) {
  Levels of;
  scales_of_64(block, part, of);
  nibbles(block.q + 4 * part, of.q);
  return of;
}

// Bit `bit` of each of four bytes, as 16 or 0.
inline float4 bits_16(uint a, uint b, uint bit) {
  a >>= bit, b >>= bit;
  return float4((a & 1) << 4, (a >> 8 & 1) << 4, (b & 1) << 4, (b >> 8 & 1) << 4);
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
