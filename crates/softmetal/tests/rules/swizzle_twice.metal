// A swizzle that is written to names no element twice.
// accept
kernel void k(device float4 *out [[buffer(0)]]) { out[0].xy = out[1].xx; }
// refuse: 'xx'
kernel void k(device float4 *out [[buffer(0)]]) {
  float4 v = out[0];
  v.xx = float2(1, 2); // HERE
  out[0] = v;
}
