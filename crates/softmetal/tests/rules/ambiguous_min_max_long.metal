// A literal too large for `int` is a `long`: `min(1, -2147483648)` is ambiguous.
// accept
kernel void k(device int *out [[buffer(0)]]) { out[0] = min(1, (-2147483647 - 1)); }
// refuse: 'min' is ambiguous
kernel void k(device int *out [[buffer(0)]]) {
  out[0] = min(1, -2147483648); // HERE
}
