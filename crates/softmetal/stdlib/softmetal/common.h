// <metal_common>, <metal_relational> and <metal_geometric>.
namespace metal {
__SM_F1(saturate, __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f))
__SM_F1(sign, (x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x == x ? x : 0.0f))
__SM_F2(step, (y < x ? 0.0f : 1.0f))
__SM_F3(mix, x + (y - x) * z)
__sm_inline float __sm_smooth(float lo, float hi, float x) {
  float t = __builtin_fminf(__builtin_fmaxf((x - lo) / (hi - lo), 0.0f), 1.0f);
  return t * t * (3.0f - 2.0f * t);
}
__SM_F3(smoothstep, __sm_smooth(x, y, z))
namespace fast { using metal::saturate; using metal::sign; using metal::mix; using metal::step; using metal::smoothstep; }
namespace precise { using metal::saturate; using metal::sign; using metal::mix; using metal::step; using metal::smoothstep; }

#define __SM_TEST(NAME, IMPL) \
  __sm_inline bool NAME(float x) { return IMPL; } \
  __sm_inline bool NAME(half h) { float x = h; return IMPL; } \
  template <class T, __sm_if_bf<T> = 0> __sm_inline bool NAME(T h) { float x = h; return IMPL; } \
  template <class T, int N> __sm_inline vec<bool, N> NAME(const vec<T, N> &v) { \
    vec<bool, N> r; \
    for (int i = 0; i < N; i++) r.e[i] = NAME(v.e[i]); \
    return r; \
  }
__SM_TEST(isnan, __builtin_isnan(x))
__SM_TEST(isinf, __builtin_isinf(x))
__SM_TEST(isfinite, __builtin_isfinite(x))
__SM_TEST(signbit, __builtin_signbit(x))
__sm_inline bool isnormal(float x) { return __builtin_isnormal(x); }
__sm_inline bool isnormal(half x) { float a = __builtin_fabsf(x); return a >= 0x1p-14f && a <= 65504.0f; }
template <class T, int N> __sm_inline vec<bool, N> isnormal(const vec<T, N> &v) {
  vec<bool, N> r;
  for (int i = 0; i < N; i++) r.e[i] = isnormal(v.e[i]);
  return r;
}
template <class T> __sm_inline auto isunordered(T a, T b) -> decltype(isnan(a) || isnan(b)) { return isnan(a) || isnan(b); }
template <class T> __sm_inline auto isordered(T a, T b) -> decltype(!isunordered(a, b)) { return !isunordered(a, b); }
template <int N> __sm_inline bool all(const vec<bool, N> &v) {
  bool r = true;
  for (int i = 0; i < N; i++) r = r && v.e[i];
  return r;
}
template <int N> __sm_inline bool any(const vec<bool, N> &v) {
  bool r = false;
  for (int i = 0; i < N; i++) r = r || v.e[i];
  return r;
}
__sm_inline bool all(bool b) { return b; }
__sm_inline bool any(bool b) { return b; }
template <class T, enable_if_t<is_arithmetic<T>::value, int> = 0> constexpr __sm_inline T select(T a, __sm_id_t<T> b, bool c) { return c ? b : a; }
template <class T, int N> __sm_inline vec<T, N> select(const vec<T, N> &a, const __sm_id_t<vec<T, N>> &b, const vec<bool, N> &c) {
  vec<T, N> r;
  for (int i = 0; i < N; i++) r.e[i] = c.e[i] ? b.e[i] : a.e[i];
  return r;
}
template <class T, int N> __sm_inline vec<T, N> select(const vec<T, N> &a, const __sm_id_t<vec<T, N>> &b, bool c) { return c ? b : a; }

template <class T, int N> __sm_inline T dot(const vec<T, N> &a, const vec<T, N> &b) {
  T s = a.e[0] * b.e[0];
  for (int i = 1; i < N; i++) s = T(s + a.e[i] * b.e[i]);
  return s;
}
template <class T, int N> __sm_inline T dot(const packed_vec<T, N> &a, const packed_vec<T, N> &b) { return dot(vec<T, N>(a), vec<T, N>(b)); }
template <class T, int N> __sm_inline T dot(const vec<T, N> &a, const packed_vec<T, N> &b) { return dot(a, vec<T, N>(b)); }
template <class T, int N> __sm_inline T dot(const packed_vec<T, N> &a, const vec<T, N> &b) { return dot(vec<T, N>(a), b); }
template <class T> __sm_inline vec<T, 3> cross(const vec<T, 3> &a, const vec<T, 3> &b) {
  return vec<T, 3>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
template <class T, int N> __sm_inline T length_squared(const vec<T, N> &v) { return dot(v, v); }
template <class T, int N> __sm_inline T length(const vec<T, N> &v) { return sqrt(dot(v, v)); }
template <class T, int N> __sm_inline T distance(const vec<T, N> &a, const vec<T, N> &b) { return length(a - b); }
template <class T, int N> __sm_inline T distance_squared(const vec<T, N> &a, const vec<T, N> &b) { return dot(a - b, a - b); }
template <class T, int N> __sm_inline vec<T, N> normalize(const vec<T, N> &v) { return v * rsqrt(dot(v, v)); }
template <class T, int N> __sm_inline vec<T, N> faceforward(const vec<T, N> &n, const vec<T, N> &i, const vec<T, N> &ref) {
  return dot(ref, i) < T(0) ? n : -n;
}
template <class T, int N> __sm_inline vec<T, N> reflect(const vec<T, N> &i, const vec<T, N> &n) { return i - n * T(T(2) * dot(n, i)); }
template <class T, int N> __sm_inline vec<T, N> refract(const vec<T, N> &i, const vec<T, N> &n, __sm_id_t<T> eta) {
  T d = dot(n, i), k = T(1) - eta * eta * (T(1) - d * d);
  return k < T(0) ? vec<T, N>(T(0)) : i * eta - n * T(eta * d + sqrt(k));
}
namespace fast { using metal::dot; using metal::length; using metal::distance; using metal::normalize; }
namespace precise { using metal::dot; using metal::length; using metal::distance; using metal::normalize; }
} // namespace metal

// as_type<T>(x): the same bits as another type. At global scope in MSL.
template <class T, class U> constexpr __sm_inline T as_type(const U &u) {
  static_assert(sizeof(T) == sizeof(U), "as_type needs types of the same size");
  return __builtin_bit_cast(T, u);
}
