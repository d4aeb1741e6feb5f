// Geometric functions take vectors of floating point.
// accept
kernel void k(device float *out [[buffer(0)]], device half4 *v [[buffer(1)]]) { out[0] = length(v[0]); }
// refuse: 'length'
kernel void k(device float *out [[buffer(0)]], device int4 *v [[buffer(1)]]) {
  out[0] = length(v[0]); // HERE
}
