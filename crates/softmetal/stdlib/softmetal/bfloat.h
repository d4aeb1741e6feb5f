// bfloat as a class: clang's own type cannot be converted to half, and on many machines has
// no instructions. It becomes float by itself; anything else is asked for.
struct bfloat {
  ushort __bits;
  bfloat() = default;
  template <class S, metal::enable_if_t<metal::__sm_int<S>::value, int> = 0>
  constexpr __sm_inline bfloat(S s) : __bits(__sm_round(float(s))) {}
  explicit constexpr __sm_inline bfloat(float f) : __bits(__sm_round(f)) {}
  explicit constexpr __sm_inline bfloat(half h) : __bits(__sm_round(float(h))) {}
  // Objects that become a number become that first.
  template <class C, metal::enable_if_t<metal::is_class<C>::value, int> = 0, class = decltype(float(metal::declval<C>()))>
  explicit constexpr __sm_inline bfloat(C c) : __bits(__sm_round(float(c))) {}
  constexpr __sm_inline operator float() const { return __sm_wide(); }
  constexpr __sm_inline float __sm_wide() const { return __builtin_bit_cast(float, uint(__bits) << 16); }
  template <class S> __sm_inline bfloat &operator+=(S s) { return *this = bfloat(__sm_wide() + float(s)); }
  template <class S> __sm_inline bfloat &operator-=(S s) { return *this = bfloat(__sm_wide() - float(s)); }
  template <class S> __sm_inline bfloat &operator*=(S s) { return *this = bfloat(__sm_wide() * float(s)); }
  template <class S> __sm_inline bfloat &operator/=(S s) { return *this = bfloat(__sm_wide() / float(s)); }
  __sm_inline bfloat &operator++() { return *this += 1; }
  __sm_inline bfloat &operator--() { return *this -= 1; }
  // To the nearest, ties to even; NaN stays NaN.
  static constexpr __sm_inline ushort __sm_round(float f) {
    uint u = __builtin_bit_cast(uint, f);
    return (u & 0x7fffffffu) > 0x7f800000u ? ushort(u >> 16 | 64u) : ushort((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
  }
};
namespace metal {
template <> struct __sm_flt<bfloat> : true_type {};
}
// A bfloat as one side of `?:`, where `c ? b : 0` must not waver between int and bfloat.
struct __sm_bfloat_side {
  bfloat __b;
  constexpr __sm_inline __sm_bfloat_side(bfloat b) : __b(b) {}
  template <class S, metal::enable_if_t<metal::__sm_int<S>::value, int> = 0>
  constexpr __sm_inline __sm_bfloat_side(S s) : __b(s) {}
  template <class T, metal::enable_if_t<metal::__sm_flt<T>::value, int> = 0>
  constexpr __sm_inline operator T() const { return T(__b); }
};
constexpr __sm_inline __sm_bfloat_side __sm_val(bfloat b) { return __sm_bfloat_side(b); }
#define __SM_BF_OP(OP) \
  constexpr __sm_inline bfloat operator OP(bfloat a, bfloat b) { return bfloat(a.__sm_wide() OP b.__sm_wide()); } \
  template <class S, metal::enable_if_t<metal::__sm_int<S>::value, int> = 0> \
  constexpr __sm_inline bfloat operator OP(bfloat a, S b) { return bfloat(a.__sm_wide() OP float(b)); } \
  template <class S, metal::enable_if_t<metal::__sm_int<S>::value, int> = 0> \
  constexpr __sm_inline bfloat operator OP(S a, bfloat b) { return bfloat(float(a) OP b.__sm_wide()); }
__SM_BF_OP(+)
__SM_BF_OP(-)
__SM_BF_OP(*)
__SM_BF_OP(/)
#undef __SM_BF_OP
#define __SM_BF_CMP(OP) \
  constexpr __sm_inline bool operator OP(bfloat a, bfloat b) { return a.__sm_wide() OP b.__sm_wide(); } \
  template <class S, metal::enable_if_t<(metal::__sm_int<S>::value || metal::is_same<S, half>::value), int> = 0> \
  constexpr __sm_inline bool operator OP(bfloat a, S b) { return a.__sm_wide() OP float(b); } \
  template <class S, metal::enable_if_t<(metal::__sm_int<S>::value || metal::is_same<S, half>::value), int> = 0> \
  constexpr __sm_inline bool operator OP(S a, bfloat b) { return float(a) OP b.__sm_wide(); }
__SM_BF_CMP(==)
__SM_BF_CMP(!=)
__SM_BF_CMP(<)
__SM_BF_CMP(>)
__SM_BF_CMP(<=)
__SM_BF_CMP(>=)
#undef __SM_BF_CMP
constexpr __sm_inline bfloat operator-(bfloat a) { return bfloat(-a.__sm_wide()); }
constexpr __sm_inline bfloat operator+(bfloat a) { return a; }
constexpr __sm_inline bool operator!(bfloat a) { return a.__sm_wide() == 0.0f; }
