// A kernel takes no pointers or references to `thread` memory.
// accept
kernel void k(device int *out [[buffer(0)]], threadgroup int *t [[threadgroup(0)]]) { out[0] = t[0]; }
// refuse: 'out'
kernel void k(thread int *out [[buffer(0)]]) { // HERE
  out[0] = 1;
}
