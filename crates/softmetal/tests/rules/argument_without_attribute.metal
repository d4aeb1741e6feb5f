// An argument passed by value has an attribute that says what it is.
// accept
kernel void k(device int *out [[buffer(0)]], constant int &n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  out[i] = n;
}
// refuse: 'n'
kernel void k(device int *out [[buffer(0)]], int n, // HERE
              uint i [[thread_position_in_grid]]) {
  out[i] = n;
}
