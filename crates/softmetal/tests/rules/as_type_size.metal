// `as_type` reads bits as a type of the same size.
// accept
kernel void k(device float *out [[buffer(0)]], device half4 *h [[buffer(1)]]) { out[0] = as_type<uint2>(h[0]).x; }
// refuse: as_type
kernel void k(device float *out [[buffer(0)]], device half4 *h [[buffer(1)]]) {
  out[0] = as_type<float4>(h[0]).x; // HERE
}
