// There is no `goto`.
// accept
kernel void k(device int *out [[buffer(0)]]) { for (int i = 0; i < 4; i++) { if (out[i]) continue; break; } }
// refuse: goto
kernel void k(device int *out [[buffer(0)]]) {
again:
  if (out[0]++ < 4) goto again; // HERE
}
