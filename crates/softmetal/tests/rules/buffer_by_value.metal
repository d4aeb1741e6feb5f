// An argument with `[[buffer(n)]]` is a pointer or a reference.
// accept
kernel void k(device int *out [[buffer(0)]], constant int &n [[buffer(1)]]) { out[0] = n; }
// refuse: 'n'
kernel void k(device int *out [[buffer(0)]], int n [[buffer(1)]]) { // HERE
  out[0] = n;
}
