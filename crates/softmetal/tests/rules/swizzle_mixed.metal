// A swizzle is spelled with `xyzw` or with `rgba`, not with both.
// accept
kernel void k(device float4 *out [[buffer(0)]]) { out[0].xy = out[1].rg; }
// refuse: 'xg'
kernel void k(device float4 *out [[buffer(0)]]) {
  out[0].xy = out[1].xg; // HERE
}
