// Each level of a pointer to a pointer has an address space: `device float *thread *`.
// accept
float first(device float *thread *p) { return p[0][0]; }
kernel void k(device float *out [[buffer(0)]]) {
  device float *one = out;
  device float *thread *two = &one;
  out[0] = first(two) * **two;
}
// refuse: the outer pointer type
kernel void k(device float **out [[buffer(0)]]) { // HERE
  out[0][0] = 1;
}
// refuse: 'two'
kernel void k(device float *out [[buffer(0)]]) {
  device float *one = out;
  device float **two = &one; // HERE
  out[0] = **two;
}
