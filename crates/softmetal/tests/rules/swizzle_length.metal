// What is assigned to a swizzle has as many elements.
// accept
kernel void k(device float4 *out [[buffer(0)]]) { out[0].xyz = float3(1, 2, 3); }
// refuse: float4
kernel void k(device float4 *out [[buffer(0)]]) {
  out[0].xy = float4(1, 2, 3, 4); // HERE
}
