// A `[[threadgroup(n)]]` is in `threadgroup` memory.
// accept
kernel void k(device int *out [[buffer(0)]], threadgroup float4 *shared [[threadgroup(1)]]) { out[0] = shared[0].x; }
// refuse: 'shared'
kernel void k(device int *out [[buffer(0)]], device int *shared [[threadgroup(1)]]) { // HERE
  out[0] = shared[0];
}
