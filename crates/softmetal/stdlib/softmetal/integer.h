// <metal_integer> and the min/max/clamp family that integers and floats share.
namespace metal {
template <class T> using __sm_if_int = enable_if_t<__sm_int<T>::value, int>;

#define __SM_LIFT1(NAME) \
  template <class T, int N> __sm_inline vec<T, N> NAME(const vec<T, N> &v) { \
    vec<T, N> r; \
    for (int i = 0; i < N; i++) r.e[i] = NAME(v.e[i]); \
    return r; \
  }
#define __SM_LIFT2(NAME) \
  template <class T, int N> constexpr __sm_inline vec<T, N> NAME(const vec<T, N> &a, const __sm_id_t<vec<T, N>> &b) { \
    vec<T, N> r{}; \
    for (int i = 0; i < N; i++) r.e[i] = NAME(a.e[i], b.e[i]); \
    return r; \
  } \
  template <class T, int N, class S, enable_if_t<is_arithmetic<S>::value, int> = 0> \
  constexpr __sm_inline vec<T, N> NAME(S a, const vec<T, N> &b) { return NAME(vec<T, N>(a), b); }
#define __SM_LIFT3(NAME) \
  template <class T, int N> \
  constexpr __sm_inline vec<T, N> NAME(const vec<T, N> &a, const __sm_id_t<vec<T, N>> &b, const __sm_id_t<vec<T, N>> &c) { \
    vec<T, N> r{}; \
    for (int i = 0; i < N; i++) r.e[i] = NAME(a.e[i], b.e[i], c.e[i]); \
    return r; \
  }

#define __SM_ORDER(T) \
  constexpr __sm_inline T min(T a, T b) { return b < a ? b : a; } \
  constexpr __sm_inline T max(T a, T b) { return a < b ? b : a; } \
  constexpr __sm_inline T clamp(T x, T lo, T hi) { return min(max(x, lo), hi); } \
  constexpr __sm_inline T min3(T a, T b, T c) { return min(min(a, b), c); } \
  constexpr __sm_inline T max3(T a, T b, T c) { return max(max(a, b), c); } \
  constexpr __sm_inline T median3(T a, T b, T c) { return max(min(a, b), min(max(a, b), c)); }
#define __SM_SIGNED_ABS(T) constexpr __sm_inline T abs(T x) { return x < 0 ? T(-x) : x; }
#define __SM_UNSIGNED_ABS(T) constexpr __sm_inline T abs(T x) { return x; }
__SM_ORDER(char) __SM_ORDER(__sm_schar) __SM_ORDER(uchar) __SM_ORDER(short) __SM_ORDER(ushort)
__SM_ORDER(int) __SM_ORDER(uint) __SM_ORDER(long) __SM_ORDER(ulong)
__SM_SIGNED_ABS(char) __SM_SIGNED_ABS(__sm_schar) __SM_SIGNED_ABS(short) __SM_SIGNED_ABS(int) __SM_SIGNED_ABS(long)
__SM_UNSIGNED_ABS(uchar) __SM_UNSIGNED_ABS(ushort) __SM_UNSIGNED_ABS(uint) __SM_UNSIGNED_ABS(ulong)
// As fmin/fmax: when one side is NaN the other is the answer.
#define __SM_FORDER(T) \
  __sm_inline T min(T a, T b) { return T(__builtin_fminf(a, b)); } \
  __sm_inline T max(T a, T b) { return T(__builtin_fmaxf(a, b)); } \
  __sm_inline T clamp(T x, T lo, T hi) { return min(max(x, lo), hi); } \
  __sm_inline T min3(T a, T b, T c) { return min(min(a, b), c); } \
  __sm_inline T max3(T a, T b, T c) { return max(max(a, b), c); } \
  __sm_inline T median3(T a, T b, T c) { return T(__sm_med3(a, b, c)); } \
  __sm_inline T abs(T x) { return T(__builtin_fabsf(x)); }
__SM_FORDER(float)
__SM_FORDER(half)
#define __SM_BORDER(NAME, ...) template <class T, __sm_if_bf<T> = 0> __sm_inline T NAME(__VA_ARGS__)
__SM_BORDER(min, T a, T b) { return T(__builtin_fminf(a, b)); }
__SM_BORDER(max, T a, T b) { return T(__builtin_fmaxf(a, b)); }
__SM_BORDER(clamp, T x, T lo, T hi) { return T(clamp(float(x), float(lo), float(hi))); }
__SM_BORDER(min3, T a, T b, T c) { return min(min(a, b), c); }
__SM_BORDER(max3, T a, T b, T c) { return max(max(a, b), c); }
__SM_BORDER(median3, T a, T b, T c) { return T(__sm_med3(a, b, c)); }
__SM_BORDER(abs, T x) { return T(__builtin_fabsf(x)); }
template <class A, class B, __sm_if_mix<A, B> = 0> __sm_inline auto min(A a, B b) -> decltype(a + b) {
  typedef decltype(a + b) C;
  return min(C(a), C(b));
}
template <class A, class B, __sm_if_mix<A, B> = 0> __sm_inline auto max(A a, B b) -> decltype(a + b) {
  typedef decltype(a + b) C;
  return max(C(a), C(b));
}
template <class A, class B, class C,
          enable_if_t<is_arithmetic<A>::value && is_arithmetic<B>::value && is_arithmetic<C>::value &&
                          !(is_same<A, B>::value && is_same<B, C>::value), int> = 0>
__sm_inline auto clamp(A x, B lo, C hi) -> decltype(x + lo + hi) {
  typedef decltype(x + lo + hi) R;
  return min(max(R(x), R(lo)), R(hi));
}
__SM_LIFT1(abs) __SM_LIFT2(min) __SM_LIFT2(max) __SM_LIFT3(clamp)
__SM_LIFT3(min3) __SM_LIFT3(max3) __SM_LIFT3(median3)
namespace fast { using metal::min; using metal::max; using metal::clamp; using metal::abs; }
namespace precise { using metal::min; using metal::max; using metal::clamp; using metal::abs; }

template <class T, __sm_if_int<T> = 0> __sm_inline T clz(T x) {
  typedef make_unsigned_t<T> U;
  return x == 0 ? T(sizeof(T) * 8) : T(__builtin_clzl(ulong(U(x))) - int(64 - sizeof(T) * 8));
}
template <class T, __sm_if_int<T> = 0> __sm_inline T ctz(T x) {
  return x == 0 ? T(sizeof(T) * 8) : T(__builtin_ctzl(ulong(x)));
}
template <class T, __sm_if_int<T> = 0> __sm_inline T popcount(T x) {
  return T(__builtin_popcountl(ulong(make_unsigned_t<T>(x))));
}
template <class T, __sm_if_int<T> = 0> __sm_inline T reverse_bits(T x) {
  return T(__builtin_bitreverse64(ulong(x)) >> (64 - sizeof(T) * 8));
}
template <class T, __sm_if_int<T> = 0> __sm_inline T rotate(T x, __sm_id_t<T> n) {
  typedef make_unsigned_t<T> U;
  const uint w = sizeof(T) * 8, k = uint(n) & (w - 1);
  return T(U(U(x) << k) | (k ? U(U(x) >> (w - k)) : U(0)));
}
template <class T, __sm_if_int<T> = 0> __sm_inline make_unsigned_t<T> absdiff(T a, T b) {
  typedef make_unsigned_t<T> U;
  return a > b ? U(U(a) - U(b)) : U(U(b) - U(a));
}
template <class T, __sm_if_int<T> = 0> __sm_inline T addsat(T a, T b) {
  T r;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b < T(0) ? numeric_limits<T>::min() : numeric_limits<T>::max();
}
template <class T, __sm_if_int<T> = 0> __sm_inline T subsat(T a, T b) {
  T r;
  if (!__builtin_sub_overflow(a, b, &r)) return r;
  return is_signed<T>::value && b < T(0) ? numeric_limits<T>::max() : numeric_limits<T>::min();
}
template <class T, __sm_if_int<T> = 0> __sm_inline T hadd(T a, T b) { return T((a >> 1) + (b >> 1) + (a & b & T(1))); }
template <class T, __sm_if_int<T> = 0> __sm_inline T rhadd(T a, T b) { return T((a >> 1) + (b >> 1) + ((a | b) & T(1))); }
template <class T, __sm_if_int<T> = 0> __sm_inline T mulhi(T a, T b) {
  return T((__int128(a) * __int128(b)) >> (sizeof(T) * 8));
}
__sm_inline ulong mulhi(ulong a, ulong b) { return ulong(((unsigned __int128)a * b) >> 64); }
template <class T, __sm_if_int<T> = 0> __sm_inline T madhi(T a, T b, T c) { return T(mulhi(a, b) + c); }
template <class T, __sm_if_int<T> = 0> __sm_inline T madsat(T a, T b, T c) {
  __int128 w = __int128(a) * b + c, lo = numeric_limits<T>::min(), hi = numeric_limits<T>::max();
  return T(w < lo ? lo : w > hi ? hi : w);
}
__sm_inline int mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__sm_inline uint mul24(uint a, uint b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__sm_inline int mad24(int a, int b, int c) { return mul24(a, b) + c; }
__sm_inline uint mad24(uint a, uint b, uint c) { return mul24(a, b) + c; }
template <class T, __sm_if_int<T> = 0> __sm_inline T extract_bits(T x, uint offset, uint bits) {
  const uint w = sizeof(T) * 8;
  if (bits == 0) return T(0);
  return T(T(make_unsigned_t<T>(x) << (w - bits - offset)) >> (w - bits));
}
template <class T, __sm_if_int<T> = 0> __sm_inline T insert_bits(T base, T insert, uint offset, uint bits) {
  typedef make_unsigned_t<T> U;
  const uint w = sizeof(T) * 8;
  if (bits == 0) return base;
  U mask = U(U(~U(0)) >> (w - bits)) << offset;
  return T((U(base) & U(~mask)) | ((U(insert) << offset) & mask));
}
__SM_LIFT1(clz) __SM_LIFT1(ctz) __SM_LIFT1(popcount) __SM_LIFT1(reverse_bits)
__SM_LIFT2(rotate) __SM_LIFT2(addsat) __SM_LIFT2(subsat) __SM_LIFT2(hadd) __SM_LIFT2(rhadd) __SM_LIFT2(mulhi)
__SM_LIFT2(mul24) __SM_LIFT3(madhi) __SM_LIFT3(madsat) __SM_LIFT3(mad24)
template <class T, int N> __sm_inline vec<make_unsigned_t<T>, N> absdiff(const vec<T, N> &a, const vec<T, N> &b) {
  vec<make_unsigned_t<T>, N> r;
  for (int i = 0; i < N; i++) r.e[i] = absdiff(a.e[i], b.e[i]);
  return r;
}
template <class T, int N> __sm_inline vec<T, N> extract_bits(const vec<T, N> &x, uint offset, uint bits) {
  vec<T, N> r;
  for (int i = 0; i < N; i++) r.e[i] = extract_bits(x.e[i], offset, bits);
  return r;
}
template <class T, int N> __sm_inline vec<T, N> insert_bits(const vec<T, N> &x, const vec<T, N> &y, uint offset, uint bits) {
  vec<T, N> r;
  for (int i = 0; i < N; i++) r.e[i] = insert_bits(x.e[i], y.e[i], offset, bits);
  return r;
}
} // namespace metal
