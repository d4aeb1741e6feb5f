// The address of an element of a vector cannot be taken.
// accept
kernel void k(device float4 *out [[buffer(0)]]) { device float *p = (device float *)out; *p = 1; }
// refuse: vector element
kernel void k(device float4 *out [[buffer(0)]]) {
  float4 v = 0;
  thread float *p = &v.y; // HERE
  out[0] = *p;
}
