// There are no integers of 128 bits.
// accept
kernel void k(device ulong *out [[buffer(0)]]) { out[0] = mulhi(out[0], out[1]); }
// refuse: '__int128'
kernel void k(device ulong *out [[buffer(0)]]) {
  unsigned __int128 x = out[0]; // HERE
  out[0] = ulong(x >> 64);
}
