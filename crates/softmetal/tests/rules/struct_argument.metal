// A structure of plain values comes to a kernel through a buffer, not by value.
// accept
struct Sizes { int n; };
kernel void k(device int *out [[buffer(0)]], constant Sizes &sizes [[buffer(1)]]) { out[0] = sizes.n; }
// refuse: 'sizes'
struct Sizes { int n; };
kernel void k(device int *out [[buffer(0)]], Sizes sizes) { // HERE
  out[0] = sizes.n;
}
