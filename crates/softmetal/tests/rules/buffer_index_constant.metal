// The index of a buffer or of threadgroup memory is known when the kernel is compiled.
// accept
kernel void k(device int *out [[buffer(1 + 2 * 3)]]) { out[0] = 1; }
// accept
enum Place { OUT, IN = 4 };
constant int MORE = IN + 1;
kernel void k(device int *out [[buffer(OUT)]], device int *in [[buffer(Place::IN)]], device int *more [[buffer((int)MORE)]]) { out[0] = in[0] + more[0]; }
// refuse: 'out'
kernel void k(device int *out [[buffer(nowhere)]]) { // HERE
  out[0] = 1;
}
// refuse: 'out'
kernel void k(device int *out [[buffer(-1)]]) { // HERE
  out[0] = 1;
}
