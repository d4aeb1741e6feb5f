// `mix`, `step` and `smoothstep` take values of one floating-point type.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = mix(out[0], out[1], 0.5f); }
// refuse: 'mix' is ambiguous
kernel void k(device float *out [[buffer(0)]], device half *h [[buffer(1)]]) {
  out[0] = mix(h[0], out[1], 0.5f); // HERE
}
