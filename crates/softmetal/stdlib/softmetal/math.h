// <metal_math>: scalar functions for float and half, then the same over vectors.
// bfloat forms are templates, so that kernels which bring their own overloads win.
extern "C" {
float acosf(float); float acoshf(float); float asinf(float); float asinhf(float);
float atanf(float); float atan2f(float, float); float atanhf(float); float cosf(float);
float coshf(float); float expf(float); float exp2f(float); float exp10f(float);
float fmodf(float, float); float logf(float); float log2f(float); float log10f(float);
float powf(float, float); float sinf(float); float sinhf(float); float tanf(float);
float tanhf(float); float nextafterf(float, float); float ldexpf(float, int);
float frexpf(float, int *); int ilogbf(float); float remainderf(float, float);
}
namespace metal {
template <class T> using __sm_if_bf = enable_if_t<is_same<T, bfloat>::value, int>;

// The functions of `fast` and `precise` are for floats: an integer becomes one.
#define __SM_OF_INTEGER(NAME)
// A function of floats. IMPL is an expression of `x`, `y` and `z`.
#define __SM_F1(NAME, IMPL) \
  __sm_inline float NAME(float x) { return IMPL; } \
  __sm_inline half NAME(half h) { float x = h; return half(IMPL); } \
  template <class T, __sm_if_bf<T> = 0> __sm_inline T NAME(T h) { float x = h; return T(IMPL); } \
  __SM_OF_INTEGER(NAME) __SM_FLOAT_VECS(__SM_VEC1, NAME)
#define __SM_F2(NAME, IMPL) \
  __sm_inline float NAME(float x, float y) { return IMPL; } \
  __sm_inline half NAME(half g, half h) { float x = g, y = h; return half(IMPL); } \
  template <class T, __sm_if_bf<T> = 0> __sm_inline T NAME(T g, T h) { float x = g, y = h; return T(IMPL); } \
  __SM_FLOAT_VECS(__SM_VEC2, NAME)
#define __SM_F3(NAME, IMPL) \
  __sm_inline float NAME(float x, float y, float z) { return IMPL; } \
  __sm_inline half NAME(half f, half g, half h) { float x = f, y = g, z = h; return half(IMPL); } \
  template <class T, __sm_if_bf<T> = 0> __sm_inline T NAME(T f, T g, T h) { float x = f, y = g, z = h; return T(IMPL); } \
  __SM_FLOAT_VECS(__SM_VEC3, NAME)

__sm_inline float __sm_pi(float turns, int cosine) {
  // Exact argument reduction first: sinpi(n) must be a true zero.
  float r = turns - 2.0f * __builtin_rintf(turns * 0.5f);
  float a = 3.14159265358979323846f * r;
  if (cosine) return (r == 0.5f || r == -0.5f) ? 0.0f : cosf(a);
  return (r == 1.0f || r == -1.0f || r == 0.0f) ? 0.0f : sinf(a);
}
__sm_inline float __sm_med3(float x, float y, float z) {
  return __builtin_fmaxf(__builtin_fminf(x, y), __builtin_fminf(__builtin_fmaxf(x, y), z));
}
__sm_inline float __sm_fract(float x) {
  float f = x - __builtin_floorf(x);
  return f < 1.0f ? f : 0x1.fffffep-1f;
}

#define __SM_MATH_ALL \
  __SM_F1(acos, acosf(x)) __SM_F1(acosh, acoshf(x)) __SM_F1(asin, asinf(x)) __SM_F1(asinh, asinhf(x)) \
  __SM_F1(atan, atanf(x)) __SM_F1(atanh, atanhf(x)) __SM_F1(ceil, __builtin_ceilf(x)) \
  __SM_F1(cos, cosf(x)) __SM_F1(cosh, coshf(x)) __SM_F1(cospi, __sm_pi(x, 1)) \
  __SM_F1(exp, expf(x)) __SM_F1(exp2, exp2f(x)) __SM_F1(exp10, exp10f(x)) \
  __SM_F1(fabs, __builtin_fabsf(x)) __SM_F1(floor, __builtin_floorf(x)) __SM_F1(fract, __sm_fract(x)) \
  __SM_F1(log, logf(x)) __SM_F1(log2, log2f(x)) __SM_F1(log10, log10f(x)) \
  __SM_F1(rint, __builtin_rintf(x)) __SM_F1(round, __builtin_roundf(x)) \
  __SM_F1(rsqrt, 1.0f / __builtin_sqrtf(x)) __SM_F1(sin, sinf(x)) __SM_F1(sinh, sinhf(x)) \
  __SM_F1(sinpi, __sm_pi(x, 0)) __SM_F1(sqrt, __builtin_sqrtf(x)) __SM_F1(tan, tanf(x)) \
  __SM_F1(tanh, tanhf(x)) __SM_F1(tanpi, __sm_pi(x, 0) / __sm_pi(x, 1)) __SM_F1(trunc, __builtin_truncf(x)) \
  __SM_F2(atan2, atan2f(x, y)) __SM_F2(copysign, __builtin_copysignf(x, y)) __SM_F2(divide, x / y) \
  __SM_F2(fdim, (x > y ? x - y : (x <= y ? 0.0f : x + y))) __SM_F2(fmax, __builtin_fmaxf(x, y)) \
  __SM_F2(fmin, __builtin_fminf(x, y)) __SM_F2(fmod, fmodf(x, y)) __SM_F2(pow, powf(x, y)) \
  __SM_F2(powr, powf(x, y)) __SM_F2(nextafter, nextafterf(x, y)) \
  __SM_F3(fma, __builtin_fmaf(x, y, z)) __SM_F3(fmax3, __builtin_fmaxf(__builtin_fmaxf(x, y), z)) \
  __SM_F3(fmin3, __builtin_fminf(__builtin_fminf(x, y), z)) __SM_F3(fmedian3, __sm_med3(x, y, z))
__SM_MATH_ALL

// nextafter in half and bfloat steps in their own grid, not in float's.
__sm_inline float ldexp(float x, int k) { return ldexpf(x, k); }
__sm_inline half ldexp(half x, int k) { return half(ldexpf(x, k)); }
template <class T, __sm_if_bf<T> = 0> __sm_inline T ldexp(T x, int k) { return T(ldexpf(x, k)); }
#define __SM_LDEXP(T, N, ...) __sm_inline T##N ldexp(T##N v, int##N k) { __SM_EACH(T, N, ldexp(v.e[i], k.e[i])) }
__SM_FLOAT_VECS(__SM_LDEXP, )
#undef __SM_LDEXP
__sm_inline int ilogb(float x) { return ilogbf(x); }
__sm_inline int ilogb(half x) { return ilogbf(x); }
template <class T, __sm_if_bf<T> = 0> __sm_inline int ilogb(T x) { return ilogbf(x); }
#define __SM_ILOGB(T, N, ...) __sm_inline int##N ilogb(T##N v) { __SM_EACH(int, N, ilogb(v.e[i])) }
__SM_FLOAT_VECS(__SM_ILOGB, )
#undef __SM_ILOGB
// Results by reference, once for each space they may live in.
#define __SM_OUT(AS) \
  template <class T, enable_if_t<__sm_flt<T>::value, int> = 0> __sm_inline T frexp(T x, AS int &e) { \
    int k = 0; \
    T m = T(frexpf(x, &k)); \
    e = k; \
    return m; \
  } \
  template <class T, int N> __sm_inline vec<T, N> frexp(vec<T, N> x, AS vec<int, N> &e) { \
    vec<T, N> r; \
    for (int i = 0; i < N; i++) { \
      int k = 0; \
      r.e[i] = T(frexpf(x.e[i], &k)); \
      e.e[i] = k; \
    } \
    return r; \
  } \
  template <class T> __sm_inline T modf(T x, AS T &whole) { T w = trunc(x); whole = w; return copysign(x - w, x); } \
  template <class T> __sm_inline T sincos(T x, AS T &c) { c = cos(x); return sin(x); }
__SM_OUT(__private)
__SM_OUT(__sm_device)
__SM_OUT(__local)
#undef __SM_OUT

#undef __SM_OF_INTEGER
#define __SM_OF_INTEGER(NAME) \
  template <class T, enable_if_t<is_integral<T>::value, int> = 0> __sm_inline float NAME(T x) { return NAME(float(x)); }
namespace precise { using namespace metal; __SM_MATH_ALL }
namespace fast { using namespace metal; __SM_MATH_ALL }
#undef __SM_MATH_ALL
#undef __SM_OF_INTEGER
#define __SM_OF_INTEGER(NAME)
} // namespace metal
