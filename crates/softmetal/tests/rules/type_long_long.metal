// There is no `long long`: `long` has 64 bits.
// accept
kernel void k(device ulong *out [[buffer(0)]]) { unsigned long x = 1ul << 40; out[0] = x; }
// refuse: 'long long'
kernel void k(device ulong *out [[buffer(0)]]) {
  unsigned long long x = 1; // HERE
  out[0] = x;
}
