// A pointer that a function takes has an address space.
// accept
void both(thread float *c, thread float *s) { *c = 1; *s = 2; }
kernel void k(device float *out [[buffer(0)]]) {
  float a, b;
  both(&a, &b);
  out[0] = a + b;
}
// refuse: address space
void both(float *c, thread float *s) { *c = 1; *s = 2; } // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1; }
// refuse: address space
struct Pair { float a, b; };
void set(const Pair *p) { } // HERE
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1; }
