// A vector has only the elements of its length: `float2` has no `z`.
// accept
kernel void k(device float3 *out [[buffer(0)]]) { out[0].z = 1; }
// refuse: 'z'
kernel void k(device float2 *out [[buffer(0)]]) {
  out[0].z = 1; // HERE
}
