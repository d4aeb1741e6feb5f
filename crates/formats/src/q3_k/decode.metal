// d · scale · (level - 4) for each 16.
struct Q3_K {
  ushort high[16];
  ushort low[32];
  ushort scales[6];
  half d;
};
template <> struct Blocks<Q3_K> { enum { LENGTH = 256, SHIFT = 8, SHIFTED = 0 }; };
template <> struct LengthOf<Q3_K> { enum { COUNT = 256 }; };

// Scale `i` of 16, of 6 bits less 32.
inline float scale_of_3_bits(device const ushort *packed, uint i) {
  uint low = byte_of(packed, i % 8) >> (i / 8 * 4) & 15;
  uint top = byte_of(packed, 8 + i % 4) >> (i / 4 * 2) & 3;
  return float(int(low | top << 4) - 32);
}

inline Part part_of(device const Q3_K &block, uint part, thread float4 *q) {
  uint group = part / 2;
  device const ushort *low = block.low + group / 4 * 16 + part % 2 * 8;
  device const ushort *high = block.high + part % 2 * 8;
  for (uint i = 0; i < 4; i++) {
    uint a = uint(low[2 * i]) >> (group % 4 * 2), b = uint(low[2 * i + 1]) >> (group % 4 * 2);
    uint c = uint(high[2 * i]) >> group, d = uint(high[2 * i + 1]) >> group;
    float4 third = float4((c & 1) << 2, (c >> 8 & 1) << 2, (d & 1) << 2, (d >> 8 & 1) << 2);
    q[i] = float4(a & 3, a >> 8 & 3, b & 3, b >> 8 & 3) + third - 4;
  }
  return Part{float(block.d) * scale_of_3_bits(block.scales, part), 0};
}

inline uint2 runs_of(Q3_K, uint part) { return uint2(16 * part, 16 * part + 8); }

inline Levels levels_of(device const Q3_K &block, uint part) {
  Levels of;
  Part by = part_of(block, part, of.q);
  of.scale = by.scale;
  of.shift = 0;
  return of;
}
