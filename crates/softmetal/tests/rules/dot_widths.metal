// `dot`, `distance` and `cross` take two vectors of one type.
// accept
kernel void k(device float *out [[buffer(0)]], device float4 *v [[buffer(1)]]) { out[0] = dot(v[0].xyz, v[1].xyz); }
// refuse: 'dot'
kernel void k(device float *out [[buffer(0)]], device float4 *v [[buffer(1)]]) {
  out[0] = dot(v[0], v[1].xyz); // HERE
}
