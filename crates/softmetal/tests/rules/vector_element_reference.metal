// There is no reference to an element of a vector.
// accept
void set(thread float &x) { x = 1; }
kernel void k(device float4 *out [[buffer(0)]]) { float x; set(x); float4 v = 0; v.x = x; out[0] = v; }
// refuse: vector element
void set(thread float &x) { x = 1; }
kernel void k(device float4 *out [[buffer(0)]]) {
  float4 v = 0;
  set(v.x); // HERE
  out[0] = v;
}
