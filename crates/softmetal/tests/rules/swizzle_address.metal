// The address of several elements of a vector cannot be taken.
// accept
kernel void k(device float4 *out [[buffer(0)]]) { float2 xy = out[0].xy; thread float2 *p = &xy; out[0].zw = *p; }
// refuse: float2
kernel void k(device float4 *out [[buffer(0)]]) {
  float4 v = 0;
  thread float2 *p = &v.xy; // HERE
  out[0].zw = *p;
}
