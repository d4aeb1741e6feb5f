// No kernel is called `main`.
// accept
kernel void main0(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse: 'main'
kernel void main(device int *out [[buffer(0)]]) { // HERE
  out[0] = 1;
}
