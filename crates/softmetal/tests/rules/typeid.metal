// There is no `typeid`.
// accept
kernel void k(device int *out [[buffer(0)]]) { out[0] = is_same<int, float>::value; }
// refuse: typeid
kernel void k(device int *out [[buffer(0)]]) {
  out[0] = typeid(int) == typeid(float); // HERE
}
