// Kernel templates of one name, told apart by their parameters; functions as template arguments.
#include <metal_stdlib>
using namespace metal;
struct Left { float x; };
struct Right { float x; };
template <typename T> T more(T x) { return x + 1; }
template <typename T> kernel void set(device Left *a [[buffer(0)]]) { threadgroup T s[4]; s[0] = T(1.5); a->x = s[0]; }
template <typename T> kernel void set(device Right *a [[buffer(0)]]) { threadgroup T s[8]; s[0] = T(2.5); a->x = s[0]; }
template <typename T> kernel void set(device Right *a [[buffer(0)]], constant float &by [[buffer(1)]]) { a->x = T(by); }
template [[host_name("left")]] kernel void set<float>(device Left *a [[buffer(0)]]);
template [[host_name("right")]] kernel void set<int>(device Right *a [[buffer(0)]]);
template [[host_name("by")]] kernel void set<int>(device Right *a [[buffer(0)]], constant float &by [[buffer(1)]]);
template <typename T, T (*F)(T)> kernel void map(device T *a [[buffer(0)]]) { a[0] = F(a[0]); }
template [[host_name("map")]] kernel void map<float, more<float>>(device float *a [[buffer(0)]]);
