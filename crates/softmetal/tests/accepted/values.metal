// Values and names where clang alone would see nothing of the kind.
#include <metal_stdlib>
using namespace metal;

// Places by name.
enum Place { OUT, IN };
constant int MORE = IN + 1;

// Positions that any function can read.
uint2 at [[thread_position_in_grid]];
uint column() { return at.x; }

// A class that cannot be copied, and one that says that it can.
struct Once {
  int a;
  Once(int x) : a(x) {}
  Once(thread const Once &) = delete;
};
struct Copied {
  int a;
  Copied() thread = default;
  Copied(const thread Copied &) thread = default;
  thread Copied &operator=(const thread Copied &) thread = default;
  device Copied &operator=(const thread Copied &) device = default;
};

// The parameters of a template between the angles are no members.
template <typename T, int N> struct Held {
  vec<T, N> v;
  operator vec<T, N>() const device { vec<T, N> w = v; return w; }
};
template <typename T> T most() { return numeric_limits<T>::max(); }

// A name that a function of the library has, too.
kernel void exp(device float *o [[buffer(OUT)]]) { o[0] = metal::exp(o[0]); }

kernel void values(device float *o [[buffer(OUT)]], device float4 *in [[buffer(Place::IN)]], volatile device float4 *v [[buffer(MORE)]],
                   device Held<float, 2> *held [[buffer(static_cast<int>(MORE) + 1)]]) {
  float2x2 m(1, 2, 3, 4), n(float2(0, 1), float2(1, 0));
  o[0] = (m * n)[0].x + (m + n)[1].y + transpose(m)[0].y;
  o[1] = precise::log2(8) + fast::sqrt(16);
  volatile float4 local = in[0];
  float4 sum = local + v[0] * 2.0f - in[0];
  v[1] = v[0] + v[0];
  v[1] += in[0];
  o[2] = sum.x + v[1].y;
  o[3] = all(v[0] == in[0]) ? 1 : 0;
  Once once(5);
  Copied a, b;
  a.a = once.a + 1;
  b = a;
  Copied c = b;
  o[4] = c.a;
  o[5] = float2(held[0]).y;
  o[6] = simd_prefix_inclusive_sum(float4(7)).w + most<float4>().x;
  o[7] = column() + at.y + 3;
}
