// `std::` is not there: MSL has a library of its own.
// accept
kernel void k(device float *out [[buffer(0)]]) { out[0] = metal::max(out[0], 1.0f); }
// refuse: 'std'
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = std::max(out[0], 1.0f); // HERE
}
