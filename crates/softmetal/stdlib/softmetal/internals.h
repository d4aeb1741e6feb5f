// The compiler builtins of Apple's own headers which public kernel libraries call directly.
namespace metal {
enum { __METAL_FAST_MATH__V = 1 };
#define __SM_SPELL1(NAME) template <class T> __sm_inline T __metal_##NAME(T x, int) { return NAME(x); }
#define __SM_SPELL2(NAME) template <class T> __sm_inline T __metal_##NAME(T x, T y, int) { return NAME(x, y); }
#define __SM_SPELL3(NAME) template <class T> __sm_inline T __metal_##NAME(T x, T y, T z, int) { return NAME(x, y, z); }
__SM_SPELL1(acos) __SM_SPELL1(acosh) __SM_SPELL1(asin) __SM_SPELL1(asinh) __SM_SPELL1(atan) __SM_SPELL1(atanh)
__SM_SPELL1(ceil) __SM_SPELL1(cos) __SM_SPELL1(cosh) __SM_SPELL1(cospi) __SM_SPELL1(exp) __SM_SPELL1(exp2)
__SM_SPELL1(exp10) __SM_SPELL1(fabs) __SM_SPELL1(floor) __SM_SPELL1(fract) __SM_SPELL1(log) __SM_SPELL1(log2)
__SM_SPELL1(log10) __SM_SPELL1(rint) __SM_SPELL1(round) __SM_SPELL1(rsqrt) __SM_SPELL1(sin) __SM_SPELL1(sinh)
__SM_SPELL1(sinpi) __SM_SPELL1(sqrt) __SM_SPELL1(tan) __SM_SPELL1(tanh) __SM_SPELL1(tanpi) __SM_SPELL1(trunc)
__SM_SPELL2(atan2) __SM_SPELL2(divide) __SM_SPELL2(fmax) __SM_SPELL2(fmin) __SM_SPELL2(fmod) __SM_SPELL2(pow)
__SM_SPELL2(powr) __SM_SPELL2(nextafter) __SM_SPELL2(copysign) __SM_SPELL2(fdim)
__SM_SPELL3(fma) __SM_SPELL3(fmax3) __SM_SPELL3(fmin3) __SM_SPELL3(fmedian3)
template <class T> __sm_inline T __metal_nextafter(T x, T y) { return nextafter(x, y); }
template <class T> __sm_inline T __metal_fma(T x, T y, T z) { return fma(x, y, z); }
template <class T> __sm_inline T __metal_copysign(T x, T y) { return copysign(x, y); }
template <class T> __sm_inline T __metal_ldexp(T x, int k, int) { return ldexp(x, k); }
template <class T, class E> __sm_inline T __metal_frexp(T x, E *e, int = 0) { int k; T m = frexp(x, k); *e = k; return m; }
template <class T, class E, enable_if_t<!is_pointer<E>::value, int> = 0> __sm_inline T __metal_frexp(T x, E &e, int = 0) { int k; T m = frexp(x, k); e = k; return m; }
__sm_inline bool __metal_isnan(float x, int) { return isnan(x); }
__sm_inline bool __metal_isinf(float x, int) { return isinf(x); }
__sm_inline bool __metal_isfinite(float x, int) { return isfinite(x); }
#define __SM_SPELLG(NAME) template <class... A> __sm_inline auto __metal_##NAME(A... a) { return NAME(a...); }
__SM_SPELLG(simd_broadcast) __SM_SPELLG(simd_shuffle) __SM_SPELLG(simd_shuffle_xor) __SM_SPELLG(simd_shuffle_up)
__SM_SPELLG(simd_shuffle_down) __SM_SPELLG(simd_shuffle_rotate_up) __SM_SPELLG(simd_shuffle_rotate_down)
__SM_SPELLG(simd_shuffle_and_fill_up) __SM_SPELLG(simd_shuffle_and_fill_down)
__SM_SPELLG(simd_sum) __SM_SPELLG(simd_product) __SM_SPELLG(simd_min) __SM_SPELLG(simd_max)
__SM_SPELLG(simd_prefix_inclusive_sum) __SM_SPELLG(simd_prefix_exclusive_sum)
__SM_SPELLG(simd_prefix_inclusive_product) __SM_SPELLG(simd_prefix_exclusive_product)
// Public libraries spell these for floats as well, where nobody calls them.
#define __SM_SPELLB(NAME) \
  template <class T> __sm_inline T __metal_##NAME(T v) { \
    if constexpr (is_floating_point<T>::value) return v; else return NAME(v); \
  }
__SM_SPELLB(simd_and) __SM_SPELLB(simd_or) __SM_SPELLB(simd_xor)
#undef __SM_SPELLB
#undef __SM_SPELL1
#undef __SM_SPELL2
#undef __SM_SPELL3
#undef __SM_SPELLG
} // namespace metal
using metal::__metal_fabs;
__sm_inline uint __metal_get_thread_index_in_simdgroup(...) { return __sm_self()->lane; }
__sm_inline uint __metal_get_simdgroup_size(...) { return 32; }
__sm_inline uint __metal_get_threads_per_simdgroup(...) { return 32; }
