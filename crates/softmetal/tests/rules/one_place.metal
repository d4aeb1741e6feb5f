// An argument has one attribute that says where it comes from.
// accept
constant bool wanted [[function_constant(0)]];
kernel void k(device int *out [[buffer(0)]], device int *more [[buffer(1), function_constant(wanted)]]) {
  out[0] = wanted ? more[0] : 1;
}
// refuse: 'i'
kernel void k(device int *out [[buffer(0)]],
              uint i [[thread_position_in_grid, thread_index_in_threadgroup]]) { // HERE
  out[i] = 1;
}
