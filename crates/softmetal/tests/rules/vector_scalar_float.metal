// A vector of integers is not multiplied by a `float`.
// accept
kernel void k(device float2 *out [[buffer(0)]], uint2 p [[thread_position_in_grid]]) { out[0] = float2(p) * 1.5f; out[1] = float2(p * 2u); }
// refuse: uint2
kernel void k(device uint2 *out [[buffer(0)]], uint2 p [[thread_position_in_grid]]) {
  out[0] = p * 1.5f; // HERE
}
