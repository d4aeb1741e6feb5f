// An atomic object is read and written by functions, not by operators.
// accept
kernel void k(device atomic_int *x [[buffer(0)]], device int *y [[buffer(1)]]) { y[0] = atomic_load_explicit(x, memory_order_relaxed); }
// refuse: atomic_int
kernel void k(device atomic_int *x [[buffer(0)]], device int *y [[buffer(1)]]) {
  y[0] = x[0] + 1; // HERE
}
