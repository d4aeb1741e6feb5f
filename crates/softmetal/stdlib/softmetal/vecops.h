// Operators of vectors: vector with vector, vector with scalar, packed with anything.
namespace metal {
// A scalar beside a vector becomes one of its elements, but a float never becomes an integer.
template <class T, class S> using __sm_if_with =
    enable_if_t<is_arithmetic<S>::value && (__sm_flt<T>::value || is_integral<S>::value), int>;
#define __SM_OP(OP) \
  template <class T, int N> constexpr __sm_inline vec<T, N> operator OP(const vec<T, N> &a, const vec<T, N> &b) { \
    vec<T, N> r{}; \
    for (int i = 0; i < N; i++) r.e[i] = T(a.e[i] OP b.e[i]); \
    return r; \
  } \
  template <class T, int N, class S, __sm_if_with<T, S> = 0> \
  constexpr __sm_inline vec<T, N> operator OP(const vec<T, N> &a, S s) { return a OP vec<T, N>(s); } \
  template <class T, int N, class S, __sm_if_with<T, S> = 0> \
  constexpr __sm_inline vec<T, N> operator OP(S s, const vec<T, N> &b) { return vec<T, N>(s) OP b; } \
  template <class T, int N, class R> \
  constexpr __sm_inline auto operator OP(const packed_vec<T, N> &a, const R &b) -> decltype(vec<T, N>(a) OP b) { \
    return vec<T, N>(a) OP b; \
  } \
  template <class T, int N, class S, \
            enable_if_t<is_arithmetic<S>::value || (is_vector<S>::value && !is_same<S, packed_vec<T, N>>::value), int> = 0> \
  constexpr __sm_inline vec<T, N> operator OP(const S &a, const packed_vec<T, N> &b) { return a OP vec<T, N>(b); } \
  template <class T, int N> constexpr __sm_inline vec<T, N> operator OP(const packed_vec<T, N> &a, const packed_vec<T, N> &b) { \
    return vec<T, N>(a) OP vec<T, N>(b); \
  }
__SM_OP(+)
__SM_OP(-)
__SM_OP(*)
__SM_OP(/)
__SM_OP(%)
__SM_OP(&)
__SM_OP(|)
__SM_OP(^)
#undef __SM_OP
#define __SM_SHIFT(OP) \
  template <class T, int N, class U> constexpr __sm_inline vec<T, N> operator OP(const vec<T, N> &a, const vec<U, N> &b) { \
    vec<T, N> r{}; \
    for (int i = 0; i < N; i++) r.e[i] = T(a.e[i] OP (b.e[i] & U(sizeof(T) * 8 - 1))); \
    return r; \
  } \
  template <class T, int N, class S, enable_if_t<is_integral<S>::value, int> = 0> \
  constexpr __sm_inline vec<T, N> operator OP(const vec<T, N> &a, S s) { return a OP vec<S, N>(s); }
__SM_SHIFT(<<)
__SM_SHIFT(>>)
#undef __SM_SHIFT
#define __SM_CMP(OP) \
  template <class T, int N> constexpr __sm_inline vec<bool, N> operator OP(const vec<T, N> &a, const vec<T, N> &b) { \
    vec<bool, N> r{}; \
    for (int i = 0; i < N; i++) r.e[i] = a.e[i] OP b.e[i]; \
    return r; \
  } \
  template <class T, int N, class S, __sm_if_with<T, S> = 0> \
  constexpr __sm_inline vec<bool, N> operator OP(const vec<T, N> &a, S s) { return a OP vec<T, N>(s); } \
  template <class T, int N, class S, __sm_if_with<T, S> = 0> \
  constexpr __sm_inline vec<bool, N> operator OP(S s, const vec<T, N> &b) { return vec<T, N>(s) OP b; }
__SM_CMP(==)
__SM_CMP(!=)
__SM_CMP(<)
__SM_CMP(>)
__SM_CMP(<=)
__SM_CMP(>=)
__SM_CMP(&&)
__SM_CMP(||)
#undef __SM_CMP
template <class T, int N> constexpr __sm_inline vec<T, N> operator-(const vec<T, N> &a) {
  vec<T, N> r{};
  for (int i = 0; i < N; i++) r.e[i] = T(-a.e[i]);
  return r;
}
template <class T, int N> constexpr __sm_inline vec<T, N> operator+(const vec<T, N> &a) { return a; }
template <class T, int N> constexpr __sm_inline vec<T, N> operator-(const packed_vec<T, N> &a) { return -vec<T, N>(a); }
template <class T, int N> constexpr __sm_inline vec<T, N> operator~(const vec<T, N> &a) {
  vec<T, N> r{};
  for (int i = 0; i < N; i++) r.e[i] = T(~a.e[i]);
  return r;
}
template <class T, int N> constexpr __sm_inline vec<bool, N> operator!(const vec<T, N> &a) {
  vec<bool, N> r{};
  for (int i = 0; i < N; i++) r.e[i] = !a.e[i];
  return r;
}
} // namespace metal
