// A vector is not made from a longer one.
// accept
kernel void k(device float3 *out [[buffer(0)]], device float4 *v [[buffer(1)]]) { out[0] = float3(v[0].xyz); }
// refuse: float3
kernel void k(device float3 *out [[buffer(0)]], device float4 *v [[buffer(1)]]) {
  out[0] = float3(v[0]); // HERE
}
