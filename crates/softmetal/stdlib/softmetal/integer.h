// <metal_integer> and the min/max/clamp family that integers and floats share.
namespace metal {
template <class T> using __sm_if_int = enable_if_t<__sm_int<T>::value, int>;

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
#define __SM_ORDER_VEC(T, N, ...) \
  __SM_VEC1(T, N, abs) __SM_VEC2(T, N, min) __SM_VEC2(T, N, max) __SM_VEC3(T, N, clamp) \
  __SM_VEC3(T, N, min3) __SM_VEC3(T, N, max3) __SM_VEC3(T, N, median3)
__SM_INT_VECS(__SM_ORDER_VEC, ) __SM_FLOAT_VECS(__SM_ORDER_VEC, )
#undef __SM_ORDER_VEC
namespace fast { using metal::min; using metal::max; using metal::clamp; using metal::abs; }
namespace precise { using metal::min; using metal::max; using metal::clamp; using metal::abs; }

template <class T> __sm_inline T __sm_clz(T x) {
  typedef make_unsigned_t<T> U;
  return x == 0 ? T(sizeof(T) * 8) : T(__builtin_clzl(ulong(U(x))) - int(64 - sizeof(T) * 8));
}
template <class T> __sm_inline T __sm_ctz(T x) {
  return x == 0 ? T(sizeof(T) * 8) : T(__builtin_ctzl(ulong(x)));
}
template <class T> __sm_inline T __sm_popcount(T x) {
  return T(__builtin_popcountl(ulong(make_unsigned_t<T>(x))));
}
template <class T> __sm_inline T __sm_reverse_bits(T x) {
  return T(__builtin_bitreverse64(ulong(x)) >> (64 - sizeof(T) * 8));
}
template <class T> __sm_inline T __sm_rotate(T x, __sm_id_t<T> n) {
  typedef make_unsigned_t<T> U;
  const uint w = sizeof(T) * 8, k = uint(n) & (w - 1);
  return T(U(U(x) << k) | (k ? U(U(x) >> (w - k)) : U(0)));
}
template <class T> __sm_inline make_unsigned_t<T> __sm_absdiff(T a, T b) {
  typedef make_unsigned_t<T> U;
  return a > b ? U(U(a) - U(b)) : U(U(b) - U(a));
}
template <class T> __sm_inline T __sm_addsat(T a, T b) {
  T r;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b < T(0) ? numeric_limits<T>::min() : numeric_limits<T>::max();
}
template <class T> __sm_inline T __sm_subsat(T a, T b) {
  T r;
  if (!__builtin_sub_overflow(a, b, &r)) return r;
  return is_signed<T>::value && b < T(0) ? numeric_limits<T>::max() : numeric_limits<T>::min();
}
template <class T> __sm_inline T __sm_hadd(T a, T b) { return T((a >> 1) + (b >> 1) + (a & b & T(1))); }
template <class T> __sm_inline T __sm_rhadd(T a, T b) { return T((a >> 1) + (b >> 1) + ((a | b) & T(1))); }
template <class T> __sm_inline T __sm_mulhi(T a, T b) {
  return T((__int128(a) * __int128(b)) >> (sizeof(T) * 8));
}
__sm_inline ulong __sm_mulhi(ulong a, ulong b) { return ulong(((unsigned __int128)a * b) >> 64); }
template <class T> __sm_inline T __sm_madhi(T a, T b, T c) { return T(__sm_mulhi(a, b) + c); }
template <class T> __sm_inline T __sm_madsat(T a, T b, T c) {
  __int128 w = __int128(a) * b + c, lo = numeric_limits<T>::min(), hi = numeric_limits<T>::max();
  return T(w < lo ? lo : w > hi ? hi : w);
}
__sm_inline int mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__sm_inline uint mul24(uint a, uint b) { return (a & 0xffffffu) * (b & 0xffffffu); }
__sm_inline int mad24(int a, int b, int c) { return mul24(a, b) + c; }
__sm_inline uint mad24(uint a, uint b, uint c) { return mul24(a, b) + c; }
template <class T> __sm_inline T __sm_extract_bits(T x, uint offset, uint bits) {
  const uint w = sizeof(T) * 8;
  if (bits == 0) return T(0);
  return T(T(make_unsigned_t<T>(x) << (w - bits - offset)) >> (w - bits));
}
template <class T> __sm_inline T __sm_insert_bits(T base, T insert, uint offset, uint bits) {
  typedef make_unsigned_t<T> U;
  const uint w = sizeof(T) * 8;
  if (bits == 0) return base;
  U mask = U(U(~U(0)) >> (w - bits)) << offset;
  return T((U(base) & U(~mask)) | ((U(insert) << offset) & mask));
}
// One function per type, as above.
#define __SM_BITS(T, ...) \
  __sm_inline T clz(T x) { return __sm_clz(x); } \
  __sm_inline T ctz(T x) { return __sm_ctz(x); } \
  __sm_inline T popcount(T x) { return __sm_popcount(x); } \
  __sm_inline T reverse_bits(T x) { return __sm_reverse_bits(x); } \
  __sm_inline T rotate(T x, T n) { return __sm_rotate(x, n); } \
  __sm_inline make_unsigned_t<T> absdiff(T a, T b) { return __sm_absdiff(a, b); } \
  __sm_inline T addsat(T a, T b) { return __sm_addsat(a, b); } \
  __sm_inline T subsat(T a, T b) { return __sm_subsat(a, b); } \
  __sm_inline T hadd(T a, T b) { return __sm_hadd(a, b); } \
  __sm_inline T rhadd(T a, T b) { return __sm_rhadd(a, b); } \
  __sm_inline T mulhi(T a, T b) { return __sm_mulhi(a, b); } \
  __sm_inline T madhi(T a, T b, T c) { return __sm_madhi(a, b, c); } \
  __sm_inline T madsat(T a, T b, T c) { return __sm_madsat(a, b, c); } \
  __sm_inline T extract_bits(T x, uint offset, uint bits) { return __sm_extract_bits(x, offset, bits); } \
  __sm_inline T insert_bits(T x, T y, uint offset, uint bits) { return __sm_insert_bits(x, y, offset, bits); }
__SM_INT_TYPES(__SM_BITS, )
#undef __SM_BITS
#define __SM_BITS_VEC(T, N, ...) \
  __SM_VEC1(T, N, clz) __SM_VEC1(T, N, ctz) __SM_VEC1(T, N, popcount) __SM_VEC1(T, N, reverse_bits) \
  __SM_VEC2(T, N, rotate) __SM_VEC2(T, N, addsat) __SM_VEC2(T, N, subsat) __SM_VEC2(T, N, hadd) \
  __SM_VEC2(T, N, rhadd) __SM_VEC2(T, N, mulhi) __SM_VEC3(T, N, madhi) __SM_VEC3(T, N, madsat) \
  __sm_inline vec<make_unsigned_t<T>, N> absdiff(T##N a, T##N b) { \
    vec<make_unsigned_t<T>, N> r; \
    for (int i = 0; i < N; i++) r.e[i] = absdiff(a.e[i], b.e[i]); \
    return r; \
  } \
  __sm_inline T##N extract_bits(T##N x, uint o, uint n) { __SM_EACH(T, N, extract_bits(x.e[i], o, n)) } \
  __sm_inline T##N insert_bits(T##N x, T##N y, uint o, uint n) { __SM_EACH(T, N, insert_bits(x.e[i], y.e[i], o, n)) }
__SM_INT_VECS(__SM_BITS_VEC, )
#undef __SM_BITS_VEC
__SM_WIDTHS(__SM_VEC2, int, mul24) __SM_WIDTHS(__SM_VEC2, uint, mul24)
__SM_WIDTHS(__SM_VEC3, int, mad24) __SM_WIDTHS(__SM_VEC3, uint, mad24)
} // namespace metal
