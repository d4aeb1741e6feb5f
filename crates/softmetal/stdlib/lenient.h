// For `--lenient`: arguments of different types are brought to a common one, where Apple's
// compiler calls them ambiguous.
namespace metal {
template <class A, class B> using __sm_if_mix = enable_if_t<
    is_arithmetic<A>::value && is_arithmetic<B>::value && !is_same<A, B>::value, int>;
template <class A, class B, class C> using __sm_if_mix3 = enable_if_t<
    is_arithmetic<A>::value && is_arithmetic<B>::value && is_arithmetic<C>::value &&
    !(is_same<A, B>::value && is_same<B, C>::value), int>;
template <class A, class B, __sm_if_mix<A, B> = 0> __sm_inline auto min(A a, B b) -> decltype(a + b) {
  typedef decltype(a + b) C;
  return min(C(a), C(b));
}
template <class A, class B, __sm_if_mix<A, B> = 0> __sm_inline auto max(A a, B b) -> decltype(a + b) {
  typedef decltype(a + b) C;
  return max(C(a), C(b));
}
template <class A, class B, class C, __sm_if_mix3<A, B, C> = 0>
__sm_inline auto clamp(A x, B lo, C hi) -> decltype(x + lo + hi) {
  typedef decltype(x + lo + hi) R;
  return min(max(R(x), R(lo)), R(hi));
}
#define __SM_MIX1(NAME) template <class A, __sm_if_int<A> = 0> __sm_inline float NAME(A a) { return NAME(float(a)); }
// Functions of floats are ambiguous for integers of one type as well.
template <class A, class B> using __sm_if_inexact = enable_if_t<
    is_arithmetic<A>::value && is_arithmetic<B>::value && !(is_same<A, B>::value && __sm_flt<A>::value), int>;
#define __SM_MIX2(NAME) template <class A, class B, __sm_if_inexact<A, B> = 0> __sm_inline float NAME(A a, B b) { return NAME(float(a), float(b)); }
#define __SM_MIX3(NAME) \
  template <class A, class B, class C, __sm_if_mix3<A, B, C> = 0> \
  __sm_inline float NAME(A a, B b, C c) { return NAME(float(a), float(b), float(c)); }
__SM_MIX1(sqrt) __SM_MIX1(rsqrt) __SM_MIX1(exp) __SM_MIX1(exp2) __SM_MIX1(log) __SM_MIX1(log2) __SM_MIX1(sin)
__SM_MIX1(cos) __SM_MIX1(tanh) __SM_MIX1(floor) __SM_MIX1(ceil) __SM_MIX1(round)
__SM_MIX2(pow) __SM_MIX2(powr) __SM_MIX2(fmin) __SM_MIX2(fmax) __SM_MIX2(fmod) __SM_MIX2(atan2) __SM_MIX2(step)
__SM_MIX3(fma) __SM_MIX3(mix) __SM_MIX3(smoothstep)
#undef __SM_MIX1
#undef __SM_MIX2
#undef __SM_MIX3
} // namespace metal
