// The operands of an operator are vectors of one length.
// accept
kernel void k(device float4 *v [[buffer(0)]]) { v[0].xyz = v[0].xyz + v[1].yzw; }
// refuse: operands
kernel void k(device float4 *v [[buffer(0)]]) {
  v[0].xyz = v[0].xyz + v[1]; // HERE
}
