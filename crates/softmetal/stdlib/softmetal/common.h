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

#define __SM_TEST_VEC(T, N, NAME) __sm_inline bool##N NAME(T##N a) { __SM_EACH(bool, N, NAME(a.e[i])) }
#define __SM_TEST(NAME, IMPL) \
  __sm_inline bool NAME(float x) { return IMPL; } \
  __sm_inline bool NAME(half h) { float x = h; return IMPL; } \
  template <class T, __sm_if_bf<T> = 0> __sm_inline bool NAME(T h) { float x = h; return IMPL; } \
  __SM_FLOAT_VECS(__SM_TEST_VEC, NAME)
__SM_TEST(isnan, __builtin_isnan(x))
__SM_TEST(isinf, __builtin_isinf(x))
__SM_TEST(isfinite, __builtin_isfinite(x))
__SM_TEST(signbit, __builtin_signbit(x))
__sm_inline bool isnormal(float x) { return __builtin_isnormal(x); }
__sm_inline bool isnormal(half x) { float a = __builtin_fabsf(x); return a >= 0x1p-14f && a <= 65504.0f; }
template <class T, __sm_if_bf<T> = 0> __sm_inline bool isnormal(T x) { return __builtin_isnormal(float(x)); }
__SM_FLOAT_VECS(__SM_TEST_VEC, isnormal)
#undef __SM_TEST
#undef __SM_TEST_VEC
#define __SM_ORDERED(T, B) \
  __sm_inline B isunordered(T a, T b) { return isnan(a) || isnan(b); } \
  __sm_inline B isordered(T a, T b) { return !isunordered(a, b); }
#define __SM_ORDERED_VEC(T, N, ...) __SM_ORDERED(T##N, bool##N)
__SM_ORDERED(float, bool) __SM_ORDERED(half, bool) __SM_FLOAT_VECS(__SM_ORDERED_VEC, )
template <class T, __sm_if_bf<T> = 0> __sm_inline bool isunordered(T a, T b) { return isnan(a) || isnan(b); }
template <class T, __sm_if_bf<T> = 0> __sm_inline bool isordered(T a, T b) { return !isunordered(a, b); }
#undef __SM_ORDERED
#undef __SM_ORDERED_VEC
#define __SM_ALL_ANY(N) \
  __sm_inline bool all(bool##N v) { bool r = true; for (int i = 0; i < N; i++) r = r && v.e[i]; return r; } \
  __sm_inline bool any(bool##N v) { bool r = false; for (int i = 0; i < N; i++) r = r || v.e[i]; return r; }
__SM_ALL_ANY(2) __SM_ALL_ANY(3) __SM_ALL_ANY(4)
#undef __SM_ALL_ANY
__sm_inline bool all(bool b) { return b; }
__sm_inline bool any(bool b) { return b; }

#define __SM_SELECT(T, ...) constexpr __sm_inline T select(T a, T b, bool c) { return c ? b : a; }
#define __SM_SELECT_VEC(T, N, ...) __sm_inline T##N select(T##N a, T##N b, bool##N c) { __SM_EACH(T, N, c.e[i] ? b.e[i] : a.e[i]) }
__SM_INT_TYPES(__SM_SELECT, ) __SM_SELECT(bool) __SM_SELECT(float) __SM_SELECT(half) __SM_SELECT(bfloat)
__SM_INT_VECS(__SM_SELECT_VEC, ) __SM_FLOAT_VECS(__SM_SELECT_VEC, ) __SM_WIDTHS(__SM_SELECT_VEC, bool, )
#undef __SM_SELECT
#undef __SM_SELECT_VEC

#define __SM_GEOMETRY(T, N, ...) \
  __sm_inline T dot(T##N a, T##N b) { \
    T s = a.e[0] * b.e[0]; \
    for (int i = 1; i < N; i++) s = T(s + a.e[i] * b.e[i]); \
    return s; \
  } \
  __sm_inline T length_squared(T##N v) { return dot(v, v); } \
  __sm_inline T length(T##N v) { return sqrt(dot(v, v)); } \
  __sm_inline T distance(T##N a, T##N b) { return length(a - b); } \
  __sm_inline T distance_squared(T##N a, T##N b) { return dot(a - b, a - b); } \
  __sm_inline T##N normalize(T##N v) { return v * rsqrt(dot(v, v)); } \
  __sm_inline T##N faceforward(T##N n, T##N i, T##N ref) { return dot(ref, i) < T(0) ? +n : -n; } \
  __sm_inline T##N reflect(T##N i, T##N n) { return i - n * T(T(2) * dot(n, i)); } \
  __sm_inline T##N refract(T##N i, T##N n, T eta) { \
    T d = dot(n, i), k = T(1) - eta * eta * (T(1) - d * d); \
    return k < T(0) ? T##N(T(0)) : i * eta - n * T(eta * d + sqrt(k)); \
  }
__SM_FLOAT_VECS(__SM_GEOMETRY, )
#undef __SM_GEOMETRY
#define __SM_CROSS(T) \
  __sm_inline T##3 cross(T##3 a, T##3 b) { \
    return T##3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); \
  }
// None for bfloat: PyTorch brings its own, and would be ambiguous.
__SM_CROSS(float) __SM_CROSS(half)
#undef __SM_CROSS
namespace fast { using metal::dot; using metal::length; using metal::distance; using metal::normalize; }
namespace precise { using metal::dot; using metal::length; using metal::distance; using metal::normalize; }
} // namespace metal

// as_type<T>(x): the same bits as another type. At global scope in MSL.
template <class T, class U> constexpr __sm_inline T as_type(const U &u) {
  static_assert(sizeof(T) == sizeof(U), "as_type needs types of the same size");
  static_assert(!metal::is_pointer<T>::value && !metal::is_pointer<U>::value, "as_type is for numbers: a pointer is cast");
  return __builtin_bit_cast(T, u);
}
