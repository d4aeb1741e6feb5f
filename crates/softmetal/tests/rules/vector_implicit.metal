// A vector does not turn into a vector of another type by itself.
// accept
kernel void k(device float4 *out [[buffer(0)]], device int4 *i [[buffer(1)]]) { out[0] = float4(i[0]); out[1] = 2.0f; }
// refuse: int4
kernel void k(device float4 *out [[buffer(0)]], device int4 *i [[buffer(1)]]) {
  float4 f = i[0]; // HERE
  out[0] = f;
}
