// The block formats, bit for bit as GGUF has them. The scales are halves, so all are aligned to 2.
//
// Each format `B` has `Blocks<B>`: the LENGTH of a block in elements, its SHIFT as a power of two, and
// whether it is SHIFTED by minima; `part_of`, which is sixteen neighbours; and `runs_of` and `levels_of`,
// which are sixteen elements as its bytes hold them.
template <typename B> struct Blocks;

inline uint byte_of(device const ushort *pairs, uint i) { return pairs[i / 2] >> (i % 2 * 8) & 255; }
// The same as a signed number.
inline float signed_byte(uint byte) { return float(int(byte << 24) >> 24); }

// What makes values of the levels `q` of sixteen neighbours, from `16 * part` of a block on:
// value = scale · q + shift. The shift is 0 but for formats with minima.
struct Part {
  float scale, shift;
};

// Four levels of 4 bits from two pairs of bytes.
inline float4 low_four(uint a, uint b) { return float4(a & 15, a >> 8 & 15, b & 15, b >> 8 & 15); }
inline float4 high_four(uint a, uint b) { return low_four(a >> 4, b >> 4); }

// Sixteen each, of which bit i belongs to level i.
inline float4 fifth_bits(uint high, uint i) {
  uint bits = high >> (4 * i);
  return float4((bits & 1) << 4, (bits & 2) << 3, (bits & 4) << 2, (bits & 8) << 1);
}

// Sixteen levels of a block, as its bytes hold them: two runs of eight neighbours, so that no byte
// is read twice. `runs_of` says where the runs of a part start, `levels_of` what they are:
// value = scale · level + shift, with x for the first run and y for the second.
struct Levels {
  float2 scale, shift;
  float4 q[4];
};

// How many such parts a block has.
template <typename B> struct RunsOf { enum { PARTS = Blocks<B>::LENGTH / 16 }; };

// The levels become the values themselves.
inline void settle(thread Levels &of) {
  of.q[0] = fma(float4(of.scale.x), of.q[0], float4(of.shift.x));
  of.q[1] = fma(float4(of.scale.x), of.q[1], float4(of.shift.x));
  of.q[2] = fma(float4(of.scale.y), of.q[2], float4(of.shift.y));
  of.q[3] = fma(float4(of.scale.y), of.q[3], float4(of.shift.y));
  of.scale = 1;
}

// The low and the high halves of eight bytes.
inline void nibbles(device const ushort *pairs, thread float4 *q) {
  uint a = pairs[0], b = pairs[1], c = pairs[2], d = pairs[3];
  q[0] = low_four(a, b);
  q[1] = low_four(c, d);
  q[2] = high_four(a, b);
  q[3] = high_four(c, d);
}

// Adds the fifth bits of two runs, of formats of 32.
inline void fifths(device const ushort *high, uint part, thread float4 *q) {
  uint first = uint(high[0]) >> (8 * part), second = uint(high[1]) >> (8 * part);
  q[0] += fifth_bits(first, 0);
  q[1] += fifth_bits(first, 1);
  q[2] += fifth_bits(second, 0);
  q[3] += fifth_bits(second, 1);
}
