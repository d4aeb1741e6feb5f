// Operators of vectors: vector with vector, vector with scalar, packed with anything.
namespace metal {
// A scalar beside a vector becomes one of its elements, but a float never becomes an integer.
template <class T, class S> using __sm_if_with =
    enable_if_t<is_arithmetic<S>::value && (__sm_flt<T>::value || is_integral<S>::value), int>;
// A vector in volatile memory is read whole before anything is done with it.
template <class V> using __sm_if_volatile =
    enable_if_t<is_volatile<V>::value && (__sm_width<typename __sm_bare<V>::type>::value > 1), int>;
#define __SM_OF_VOLATILE(OP) \
  template <class V, class R, __sm_if_volatile<V> = 0> \
  __sm_inline auto operator OP(V &a, const R &b) -> decltype(declval<typename __sm_bare<V>::type>() OP b) { \
    return typename __sm_bare<V>::type(a) OP b; \
  } \
  template <class L, class V, __sm_if_volatile<V> = 0, enable_if_t<!is_volatile<L>::value, int> = 0> \
  __sm_inline auto operator OP(const L &a, V &b) -> decltype(a OP declval<typename __sm_bare<V>::type>()) { \
    return a OP typename __sm_bare<V>::type(b); \
  }
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
__SM_OF_VOLATILE(+) __SM_OF_VOLATILE(-) __SM_OF_VOLATILE(*) __SM_OF_VOLATILE(/) __SM_OF_VOLATILE(%)
__SM_OF_VOLATILE(&) __SM_OF_VOLATILE(|) __SM_OF_VOLATILE(^) __SM_OF_VOLATILE(<<) __SM_OF_VOLATILE(>>)
__SM_OF_VOLATILE(==) __SM_OF_VOLATILE(!=) __SM_OF_VOLATILE(<) __SM_OF_VOLATILE(>) __SM_OF_VOLATILE(<=) __SM_OF_VOLATILE(>=)
#undef __SM_OF_VOLATILE
template <class V, __sm_if_volatile<V> = 0> __sm_inline auto operator-(V &a) { return -typename __sm_bare<V>::type(a); }
} // namespace metal
