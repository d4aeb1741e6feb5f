// An explicit instantiation of a kernel template has the template's parameters.
// accept
template <int N> kernel void k(device float *out [[buffer(0)]], constant int &n, uint i [[thread_position_in_grid]]) { out[i] = N + n; }
template [[host_name("two")]] kernel void k<2>(device float *, constant int &, uint);
template [[host_name("three")]] kernel void k<3>(device float *out [[buffer(0)]], constant int &n [[buffer(1)]], uint i [[thread_position_in_grid]]);
typedef decltype(k<0>) shape;
template [[host_name("four")]] kernel shape k<4>;
template [[host_name("five")]] kernel decltype(k<5>) k<5>;
// refuse: 'k'
template <int N> kernel void k(device float *out [[buffer(0)]]) { out[0] = N; }
template [[host_name("two")]] kernel void k<2>(device int *); // HERE
// refuse: 'k'
template <int N> kernel void k(device float *out [[buffer(0)]]) { out[0] = N; }
typedef void other(device float *, uint);
template [[host_name("two")]] kernel other k<2>; // HERE
