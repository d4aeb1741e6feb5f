// Element `i` of rows of blocks that start at `blocks`; `i` may be below 0.
template <typename B> inline float element(device const B *blocks, long i) {
  float4 q[4];
  uint within = uint(i) & (Blocks<B>::LENGTH - 1);
  Part by = part_of(blocks[i >> Blocks<B>::SHIFT], within / 16, q);
  float value = by.scale * q[within % 16 / 4][within % 4];
  return Blocks<B>::SHIFTED ? value + by.shift : value;
}
