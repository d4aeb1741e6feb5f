// <metal_limits>: numeric_limits of every scalar type.
namespace metal {
template <class T> struct _numeric_limits_impl {
  static constexpr bool is_specialized = false;
  static constexpr T min() { return T(); }
  static constexpr T max() { return T(); }
  static constexpr T lowest() { return T(); }
  static constexpr T epsilon() { return T(); }
  static constexpr T infinity() { return T(); }
  static constexpr T quiet_NaN() { return T(); }
};
#define __SM_INT_LIMITS(T, LO, HI, D) \
  template <> struct _numeric_limits_impl<T> { \
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true; \
    static constexpr bool is_signed = (LO) != 0, has_infinity = false, has_quiet_NaN = false; \
    static constexpr int digits = D, digits10 = (D) * 3 / 10, radix = 2; \
    static constexpr T min() { return T(LO); } \
    static constexpr T max() { return T(HI); } \
    static constexpr T lowest() { return T(LO); } \
    static constexpr T epsilon() { return T(0); } \
    static constexpr T infinity() { return T(0); } \
    static constexpr T quiet_NaN() { return T(0); } \
  };
__SM_INT_LIMITS(bool, 0, 1, 1)
__SM_INT_LIMITS(char, -128, 127, 7)
__SM_INT_LIMITS(__sm_schar, -128, 127, 7)
__SM_INT_LIMITS(uchar, 0, 255, 8)
__SM_INT_LIMITS(short, -32768, 32767, 15)
__SM_INT_LIMITS(ushort, 0, 65535, 16)
__SM_INT_LIMITS(int, -2147483647 - 1, 2147483647, 31)
__SM_INT_LIMITS(uint, 0, 4294967295u, 32)
__SM_INT_LIMITS(long, -9223372036854775807l - 1, 9223372036854775807l, 63)
__SM_INT_LIMITS(ulong, 0, 18446744073709551615ul, 64)
__SM_INT_LIMITS(__sm_llong, -9223372036854775807l - 1, 9223372036854775807l, 63)
__SM_INT_LIMITS(__sm_ullong, 0, 18446744073709551615ul, 64)
#undef __SM_INT_LIMITS
#define __SM_FLT_LIMITS(T, MIN, MAX, EPS, DEN, D, D10, EMAX, EMIN) \
  template <> struct _numeric_limits_impl<T> { \
    static constexpr bool is_specialized = true, is_integer = false, is_exact = false; \
    static constexpr bool is_signed = true, has_infinity = true, has_quiet_NaN = true; \
    static constexpr int digits = D, digits10 = D10, radix = 2; \
    static constexpr int max_exponent = EMAX, min_exponent = EMIN; \
    static constexpr T min() { return T(MIN); } \
    static constexpr T max() { return T(MAX); } \
    static constexpr T lowest() { return T(-MAX); } \
    static constexpr T epsilon() { return T(EPS); } \
    static constexpr T denorm_min() { return T(DEN); } \
    static constexpr T round_error() { return T(0.5f); } \
    static constexpr T infinity() { return T(__builtin_inff()); } \
    static constexpr T quiet_NaN() { return T(__builtin_nanf("")); } \
    static constexpr T signaling_NaN() { return T(__builtin_nanf("")); } \
  };
__SM_FLT_LIMITS(float, 0x1p-126f, 0x1.fffffep127f, 0x1p-23f, 0x1p-149f, 24, 6, 128, -125)
__SM_FLT_LIMITS(half, 0x1p-14f, 65504.0f, 0x1p-10f, 0x1p-24f, 11, 3, 16, -13)
__SM_FLT_LIMITS(bfloat, 0x1p-126f, 0x1.fep127f, 0x1p-7f, 0x1p-133f, 8, 2, 128, -125)
#undef __SM_FLT_LIMITS
template <class T> struct numeric_limits : _numeric_limits_impl<remove_cv_t<T>> {};
} // namespace metal
