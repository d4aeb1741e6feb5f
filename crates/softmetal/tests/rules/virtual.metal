// There are no virtual functions.
// accept
struct A { int f() const { return 1; } };
kernel void k(device int *out [[buffer(0)]]) { A a; out[0] = a.f(); }
// refuse: virtual
struct A { virtual int f() const { return 1; } }; // HERE
kernel void k(device int *out [[buffer(0)]]) { A a; out[0] = a.f(); }
