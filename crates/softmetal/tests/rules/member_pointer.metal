// A pointer or reference that a structure holds has an address space.
// accept
struct View { device float *at; float get(int i) const { return at[i]; } };
kernel void k(device float *out [[buffer(0)]]) { View v = {out}; out[0] = v.get(1); }
// refuse: address space
struct View {
  float *at; // HERE
};
kernel void k(device float *out [[buffer(0)]]) { out[0] = 1; }
