// A `[[threadgroup(n)]]` is a pointer or a reference.
// accept
kernel void k(device int *out [[buffer(0)]], threadgroup int &shared [[threadgroup(0)]]) { out[0] = shared; }
// refuse: 'shared'
kernel void k(device int *out [[buffer(0)]], threadgroup int shared [[threadgroup(0)]]) { // HERE
  out[0] = shared;
}
