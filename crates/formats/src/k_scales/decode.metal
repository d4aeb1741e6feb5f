// The scales of Q4_K and Q5_K.

// Scale and minimum of group `i` of eight, as Q4_K and Q5_K pack them in 6 bits.
inline uint2 six_bits(device const ushort *packed, uint i) {
  if (i < 4) return uint2(byte_of(packed, i) & 63, byte_of(packed, i + 4) & 63);
  uint both = byte_of(packed, i + 4);
  return uint2((both & 15) | (byte_of(packed, i - 4) >> 6 << 4),
               both >> 4 | (byte_of(packed, i) >> 6 << 4));
}

// Those of the two groups that share bytes.
template <typename B> inline void scales_of_64(device const B &block, uint part, thread Levels &of) {
  uint2 low = six_bits(block.scales, part / 4 * 2), high = six_bits(block.scales, part / 4 * 2 + 1);
  of.scale = float(block.d) * float2(low.x, high.x);
  of.shift = -float(block.dmin) * float2(low.y, high.y);
}

// Bit `bit` of each of four bytes, as 16 or 0.
inline float4 bits_16(uint a, uint b, uint bit) {
  a >>= bit, b >>= bit;
  return float4((a & 1) << 4, (a >> 8 & 1) << 4, (b & 1) << 4, (b >> 8 & 1) << 4);
}
