// A vector does not turn into a scalar.
// accept
kernel void k(device float *out [[buffer(0)]], device float4 *v [[buffer(1)]]) { out[0] = v[0].x; }
// refuse: float4
kernel void k(device float *out [[buffer(0)]], device float4 *v [[buffer(1)]]) {
  float x = v[0]; // HERE
  out[0] = x;
}
