// Where arrays, columns and threadgroup variables are, and what may be said of them.
#include <metal_stdlib>
using namespace metal;

struct Table { array<int, 5> n; float2x2 m; array<array<int, 2>, 2> nested; };
struct View { threadgroup ulong (*rows)[8]; threadgroup float *one; };
struct Limits { float v; static constant Limits low; static constant int steps; };
constexpr constant Limits Limits::low{-1.5f};
constant int Limits::steps = 6;
template <typename T> struct Of { static constant T unit; };
template <typename T> constant T Of<T>::unit = T(4);

int second(constant int *p) { return p[1]; }
void put(thread long *p, int n) { p[n] = n * n; }
void put(device int *p, int n) { p[n] = n; }
void scale(threadgroup float2 *c) { c[0] *= 2; }
template <typename T> T total(T c[4], T more) { return c[0] + c[1] + c[2] + c[3] + more; }
template <typename T> T picked(const device T *rows[2], int i) { return rows[1][i]; }
template <typename T, uint N> T span(vec<T, N> v) { return v[N - 1] - v[0] + T(N - 5 > 100); }
template <typename T, ushort N> vec<T, N> twice(vec<T, N> v) { return v + v; }

kernel void memory(device float *o [[buffer(0)]], constant Table &fixed [[buffer(1)]], device Table &t [[buffer(2)]],
                   threadgroup float &shared, threadgroup float *more [[threadgroup(0)]], threadgroup int *last) {
  threadgroup ulong grid[2][8];
  threadgroup float aligned[16] __attribute__((aligned(64)));
  alignas(32) threadgroup float4 four[1];
  threadgroup uint zero{};
  threadgroup uint also = 0, and_this[2] = {};
  threadgroup float unused[1000000];
  threadgroup float2x2 tm;
  auto d = fixed.n.data();
  o[0] = d[1] + second(&fixed.n[2]) + second(fixed.n.data());
  array<long, 8> own;
  put(&own[0], 3);
  o[1] = own[3];
  put(&t.n[0], 2);
  put(t.n.data(), 4);
  o[2] = t.n[2] + t.n[4];
  device float2 *column = &t.m[1];
  *column = float2(8, 9);
  o[3] = t.m[1].y;
  constant float2 *cc = &fixed.m[1];
  o[4] = cc->x;
  tm[1] = float2(3, 4);
  scale(&tm[1]);
  o[5] = tm[1].y;
  View view;
  view.rows = grid;
  view.one = aligned;
  view.rows[1][7] = 12;
  view.one[15] = 13;
  o[6] = grid[1][7] + aligned[15];
  zero = also = 2;
  and_this[1] = zero;
  four[0] = float4(and_this[1]);
  o[7] = four[0].w + float(ulong(&four[0]) % 16) + float(ulong(&aligned[0]) % 16);
  shared = 1;
  more[0] = 2;
  last[0] = 3;
  o[8] = shared + more[0] + last[0];
  float c[4] = {1, 2, 3, 4};
  o[9] = total(c, o[8]);
  const device float *rows[2] = {o, o + 1};
  o[10] = picked(rows, 8);
  o[11] = span(float4(1, 2, 3, 9)) + twice(float2(1, 2)).y;
  o[12] = Limits::low.v + Limits::steps + Of<float>::unit;
  int sum = 0;
  for (auto x : fixed.n) sum += x;
  for (int x : t.nested[1]) sum += x;
  o[13] = sum;
}

kernel void volatiles(volatile device float4 *s [[buffer(0)]], volatile device packed_float3 *p [[buffer(1)]]) {
  threadgroup volatile float2 t[2];
  s[0] = float4(20.0);
  float4 v = s[0];
  v += v;
  t[1] = float2(2, 3);
  float2 w = t[1];
  s[1] = v * w.y + w.x;
  p[0] = packed_float3(1, 2, 3);
  packed_float3 q = p[0];
  s[2] = float4(float3(q), 3);
}
