// A scalar does not turn into a matrix by itself, nor a matrix into another.
// accept
kernel void k(device float2 *out [[buffer(0)]]) { float2x2 m = float2x2(1.0f); out[0] = m[0]; }
// refuse: half2x2
kernel void k(device half2 *out [[buffer(0)]], device float2x2 *m [[buffer(1)]]) {
  half2x2 h = m[0]; // HERE
  out[0] = h[0];
}
