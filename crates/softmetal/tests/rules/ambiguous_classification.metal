// `isnan`, `isinf` and their kin take floating point, of a type that an overload is for.
// accept
kernel void k(device float *out [[buffer(0)]], device half *h [[buffer(1)]]) { out[0] = isnan(out[1]) || isinf(h[0]); }
// refuse: 'isnan' is ambiguous
kernel void k(device float *out [[buffer(0)]], device int *i [[buffer(1)]]) {
  out[0] = isnan(i[0]); // HERE
}
