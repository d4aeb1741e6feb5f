// Positions declared outside of functions are there since Metal 3.1.
// accept --std=3.1
kernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
// refuse --std=3.0: 'place'
uint place [[thread_position_in_grid]]; // HERE
kernel void k(device int *out [[buffer(0)]]) { out[place] = 1; }
