// Two arguments in threadgroup memory have different indices.
// accept
kernel void k(device int *out [[buffer(0)]], threadgroup int *a [[threadgroup(0)]],
              threadgroup int *b [[threadgroup(1)]]) {
  out[0] = a[0] + b[0];
}
// refuse: 'b'
kernel void k(device int *out [[buffer(0)]], threadgroup int *a [[threadgroup(0)]],
              threadgroup int *b [[threadgroup(0)]]) { // HERE
  out[0] = a[0] + b[0];
}
