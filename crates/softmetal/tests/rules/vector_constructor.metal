// A vector is made from exactly as many values as it has elements, or from one.
// accept
kernel void k(device float4 *out [[buffer(0)]]) { out[0] = float4(out[1].xy, 3, 4); out[1] = float4(0); }
// refuse: float4
kernel void k(device float4 *out [[buffer(0)]]) {
  out[0] = float4(1, 2, 3); // HERE
}
// refuse: float2
kernel void k(device float2 *out [[buffer(0)]]) {
  out[0] = float2(1, 2, 3); // HERE
}
