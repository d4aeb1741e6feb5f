// A condition is a scalar: vectors go through `any` or `all`.
// accept
kernel void k(device float4 *out [[buffer(0)]]) { if (any(out[0] > 1.0f)) out[1] = 0; }
// refuse: bool
kernel void k(device float4 *out [[buffer(0)]]) {
  if (out[0] > 1.0f) out[1] = 0; // HERE
}
