// There is no `dynamic_cast`.
// accept
kernel void k(device int *out [[buffer(0)]]) { out[0] = static_cast<int>(1.5f); }
// refuse: dynamic_cast
struct A { int x; };
kernel void k(device int *out [[buffer(0)]]) {
  A a;
  thread A *p = dynamic_cast<thread A *>(&a); // HERE
  out[0] = p->x;
}
