// Names that the library defines as macros, such as `assert` and `MAXFLOAT`, are taken.
// accept
void check(bool ok, device int *out) { if (!ok) out[0] = 1; }
kernel void k(device int *out [[buffer(0)]]) { check(false, out); }
// refuse: macro
void assert(bool ok, device int *out) { if (!ok) out[0] = 1; } // HERE
kernel void k(device int *out [[buffer(0)]]) { assert(false, out); }
