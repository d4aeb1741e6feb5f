// `as_type` is for numbers and vectors, not for pointers.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = as_type<uint>(out[1]) + (ulong)out; }
// refuse: a pointer is cast
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = as_type<ulong>(out); // HERE
}
