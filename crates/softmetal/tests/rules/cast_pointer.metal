// A cast to a pointer names the address space.
// accept
kernel void k(device float *out [[buffer(0)]]) {
  device uint *u = (device uint *)out;
  u[0] = *reinterpret_cast<device uint *>(out + 1);
}
// refuse: address space
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = *(uint *)out; // HERE
}
// refuse: address space
kernel void k(device float *out [[buffer(0)]]) {
  out[0] = *reinterpret_cast<const uint *>(out); // HERE
}
