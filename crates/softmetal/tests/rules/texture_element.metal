// A texture is of scalars: `texture2d<float>`, not `texture2d<float4>`.
// accept
kernel void k(texture2d<half> x [[texture(0)]], texture2d<uint, access::read> y [[texture(1)]], device float *out [[buffer(0)]]) { out[0] = x.get_width() + y.get_height(); }
// refuse: numbers, not vectors
kernel void k(texture2d<float4> x [[texture(0)]], device float *out [[buffer(0)]]) { // HERE
  out[0] = x.get_width();
}
