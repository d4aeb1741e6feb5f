// Methods say which memory their object is in; references and `*this` are in the same one.
#include <metal_stdlib>
using namespace metal;

struct Row {
  float x, y;
  float pad[2];
  device float &at(uint i) device { return pad[i]; }
  const device float &at(uint i) const device { return pad[i]; }
  constant float &first() constant { return x; }
  threadgroup float &at(uint i) threadgroup { return pad[i]; }
  thread float &at(uint i) thread { return pad[i]; }
  device Row &operator+=(float v) device {
    x += v;
    this->y += v;
    return *this;
  }
  thread Row &operator+=(float v) {
    x += 2 * v;
    return *this;
  }
  float sum() const { return x + y; }
  float sum() const device { return twice(&x) + y; }
  static float twice(const device float *p) { return 2 * *p; }
  Row moved(float v) const thread {
    Row r = *this;
    r.x += v;
    return r;
  }
  void grow() thread { x *= 10; }
  template <typename T> T scaled(T by) const { return T(x) * by; }
};

template <typename T, int N> struct Box {
  T data[N];
  device T &operator[](uint i) device { return data[i]; }
  constant T &operator[](uint i) constant { return data[i]; }
  thread T &operator[](uint i) thread { return data[i]; }
  device T *begin() device { return data; }
};

struct Product {
  template <typename A, typename B> A operator()(A a, B b) { return a * A(b); }
};
template <typename F, typename... A> using result = decltype(metal::declval<F>()(metal::declval<A>()...));
template <typename F> struct Apply {
  template <typename... A> result<F, A...> operator()(A... a) const { return F()(a...); }
};

template <int N> struct Step {
  constexpr operator int() const { return N; }
};

Row make(float x) { return Row{x, 1, {0, 0}}; }

kernel void methods(device float *o [[buffer(0)]], device Row *rows [[buffer(1)]], constant Row &fixed [[buffer(2)]],
                    device Box<float, 4> &box [[buffer(3)]], constant Box<float, 4> &table [[buffer(4)]]) {
  threadgroup Row shared[1];
  rows[0].at(1) = 5;
  o[0] = rows[0].pad[1];
  rows[0] += 3;
  o[1] = rows[0].x + rows[0].y;
  o[2] = rows[0].sum();
  constant float &f = fixed.first();
  o[3] = f;
  shared[0].at(0) = 7;
  o[4] = shared[0].pad[0];
  Row own = make(2).moved(4);
  (own += 1).at(0) = 9;
  o[5] = own.x + own.pad[0];
  o[6] = make(3).scaled(2.0f) + make(4).sum();
  make(1).grow();
  box[2] = table[1];
  device float *b = box.begin();
  o[7] = b[2];
  device float *third = &box[3];
  *third = 11;
  o[8] = box.data[3];
  Box<float, 4> mine;
  mine[0] = 1;
  thread float *p = &mine[0];
  *p += 1;
  o[9] = mine[0];
  o[10] = Apply<Product>()(3.0f, 4);
  device float *walk = o;
  walk += Step<3>();
  Step<1> back;
  walk -= back;
  o[11] = walk[0];
}

// What becomes something else than an integer steps no pointer, and is none the worse for it.
struct Wrapped {
  float4 v;
  explicit operator float4() const { return v; }
};
