// In a product, the left has as many columns as the right has rows.
// accept
kernel void k(device float3 *out [[buffer(0)]], device float2 *v [[buffer(1)]]) { float2x3 m; m[0] = out[0]; m[1] = out[1]; out[0] = m * v[0]; }
// refuse: operands
kernel void k(device float3 *out [[buffer(0)]], device float2 *v [[buffer(1)]]) {
  float3x2 m;
  out[0] = m * v[0]; // HERE
}
