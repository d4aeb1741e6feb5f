// `&`, `|`, `^`, `~` and shifts are for integers.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = as_type<float>(as_type<uint>(out[0]) & 0x7fffffffu); }
// refuse: operands
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = out[0] & 3; // HERE
}
