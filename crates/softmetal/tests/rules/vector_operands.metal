// The operands of an operator are vectors of one type, or one is a scalar.
// accept
kernel void k(device float4 *out [[buffer(0)]], device half4 *h [[buffer(1)]]) { out[0] = float4(h[0]) * out[1] + 1.0f; }
// refuse: operands
kernel void k(device float4 *out [[buffer(0)]], device half4 *h [[buffer(1)]]) {
  out[0] = h[0] * out[1]; // HERE
}
