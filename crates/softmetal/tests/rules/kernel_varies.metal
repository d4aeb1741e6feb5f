// No function takes a variable number of arguments, a kernel least of all.
// accept
template <typename... T> int count(T... all) { return sizeof...(all); }
kernel void k(device int *out [[buffer(0)]]) { out[0] = count(1, 2, 3); }
// refuse: 'sum'
int sum(int n, ...) { // HERE
  return n;
}
kernel void k(device int *out [[buffer(0)]]) { out[0] = sum(1); }
