// <metal_type_traits>: the parts of the C++ type traits that MSL offers.
namespace metal {
template <class T, T V> struct integral_constant {
  static constexpr T value = V;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const { return V; }
  // clang's own candidates take no pointer variable of a thread here.
  template <class P> friend P *&operator+=(P *&p, integral_constant) { return p = p + V; }
  template <class P> friend P *&operator-=(P *&p, integral_constant) { return p = p - V; }
  constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;

template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;

template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;

// Deduction cannot drop an address space on its own, so each is listed.
template <class T> struct __sm_plain { typedef T type; };
#define __SM_PLAIN(AS) \
  template <class T> struct __sm_plain<AS T> { typedef T type; };
__SM_PLAIN(__global)
__SM_PLAIN(__sm_device)
__SM_PLAIN(__sm_host)
__SM_PLAIN(__local)
__SM_PLAIN(__private)
#undef __SM_PLAIN
template <class T> struct remove_cv {
  typedef typename remove_volatile<typename remove_const<T>::type>::type type;
};
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct __sm_bare {
  typedef typename remove_cv<typename __sm_plain<
      typename remove_cv<typename remove_reference<T>::type>::type>::type>::type type;
};
template <class T> struct decay { typedef typename __sm_bare<T>::type type; };
template <class T> using decay_t = typename decay<T>::type;
template <class T> struct remove_addrspace { typedef typename __sm_plain<T>::type type; };
template <class T> using remove_addrspace_t = typename remove_addrspace<T>::type;
template <class T> struct __sm_id { typedef T type; };
template <class T> using __sm_id_t = typename __sm_id<T>::type;

template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_volatile : false_type {};
template <class T> struct is_volatile<volatile T> : true_type {};
template <class T> struct __sm_pointer : false_type {};
template <class T> struct __sm_pointer<T *> : true_type {};
template <class T> struct is_pointer : __sm_pointer<typename __sm_plain<remove_cv_t<T>>::type> {};
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> struct remove_pointer<T *const> { typedef T type; };
template <class T> struct remove_pointer<T *volatile> { typedef T type; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> struct is_lvalue_reference : false_type {};
template <class T> struct is_lvalue_reference<T &> : true_type {};
template <class T> struct is_rvalue_reference : false_type {};
template <class T> struct is_rvalue_reference<T &&> : true_type {};
template <class T> struct is_reference
    : bool_constant<is_lvalue_reference<T>::value || is_rvalue_reference<T>::value> {};
template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T, size_t N> struct is_array<T[N]> : true_type {};
template <class T> struct rank : integral_constant<size_t, 0> {};
template <class T> struct rank<T[]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, size_t N> struct rank<T[N]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, unsigned I = 0> struct extent : integral_constant<size_t, 0> {};
template <class T> struct extent<T[], 0> : integral_constant<size_t, 0> {};
template <class T, unsigned I> struct extent<T[], I> : extent<T, I - 1> {};
template <class T, size_t N> struct extent<T[N], 0> : integral_constant<size_t, N> {};
template <class T, size_t N, unsigned I> struct extent<T[N], I> : extent<T, I - 1> {};
template <class T> struct remove_extent { typedef T type; };
template <class T> struct remove_extent<T[]> { typedef T type; };
template <class T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> struct remove_all_extents { typedef T type; };
template <class T> struct remove_all_extents<T[]> : remove_all_extents<T> {};
template <class T, size_t N> struct remove_all_extents<T[N]> : remove_all_extents<T> {};
template <class T> using remove_all_extents_t = typename remove_all_extents<T>::type;
template <class T> struct add_const { typedef const T type; };
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> struct add_volatile { typedef volatile T type; };
template <class T> using add_volatile_t = typename add_volatile<T>::type;
template <class T> struct add_cv { typedef const volatile T type; };
template <class T> using add_cv_t = typename add_cv<T>::type;
template <class T> struct add_lvalue_reference { typedef T &type; };
template <class T> using add_lvalue_reference_t = typename add_lvalue_reference<T>::type;
template <class T> struct add_rvalue_reference { typedef T &&type; };
template <class T> using add_rvalue_reference_t = typename add_rvalue_reference<T>::type;
template <class T> struct add_pointer { typedef remove_reference_t<T> *type; };
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <class T> struct is_void : is_same<typename __sm_bare<T>::type, void> {};
template <class T> struct is_null_pointer : is_same<typename __sm_bare<T>::type, decltype(nullptr)> {};

template <class T> struct __sm_int : false_type {};
template <class T> struct __sm_flt : false_type {};
template <> struct __sm_flt<float> : true_type {};
template <> struct __sm_flt<half> : true_type {};
template <> struct __sm_int<bool> : true_type {};
template <> struct __sm_int<char> : true_type {};
template <> struct __sm_int<signed char> : true_type {};
template <> struct __sm_int<uchar> : true_type {};
template <> struct __sm_int<short> : true_type {};
template <> struct __sm_int<ushort> : true_type {};
template <> struct __sm_int<int> : true_type {};
template <> struct __sm_int<uint> : true_type {};
template <> struct __sm_int<long> : true_type {};
template <> struct __sm_int<ulong> : true_type {};
template <> struct __sm_int<long long> : true_type {};
template <> struct __sm_int<unsigned long long> : true_type {};
// Kinds of numbers are asked of vectors too, as kernels for both rely on: is_integral<int4>.
template <class T, int N> struct vec;
template <class T, int N> struct packed_vec;
template <class T> struct __sm_lane { typedef T type; };
template <class T, int N> struct __sm_lane<vec<T, N>> { typedef T type; };
template <class T, int N> struct __sm_lane<packed_vec<T, N>> { typedef T type; };
template <class T> using __sm_lane_of = typename __sm_lane<typename __sm_bare<T>::type>::type;
template <class T> struct is_integral : bool_constant<__sm_int<__sm_lane_of<T>>::value> {};
template <class T> struct is_floating_point : bool_constant<__sm_flt<__sm_lane_of<T>>::value> {};
template <class T> struct is_arithmetic
    : bool_constant<__sm_int<typename __sm_bare<T>::type>::value || __sm_flt<typename __sm_bare<T>::type>::value> {};
template <class T> struct is_scalar : is_arithmetic<T> {};
template <class T> struct is_fundamental
    : bool_constant<is_arithmetic<T>::value || is_void<T>::value || is_null_pointer<T>::value> {};
template <class T> struct is_compound : bool_constant<!is_fundamental<T>::value> {};
template <class T> struct is_function
    : bool_constant<!is_reference<T>::value && !is_void<T>::value && __is_function(T)> {};
template <class T> struct is_object
    : bool_constant<!is_function<T>::value && !is_reference<T>::value && !is_void<T>::value> {};
#define __SM_TRAIT(NAME, TEST) \
  template <class T> struct NAME : bool_constant<TEST(T)> {};
__SM_TRAIT(is_enum, __is_enum)
__SM_TRAIT(is_union, __is_union)
__SM_TRAIT(is_class, __is_class)
__SM_TRAIT(is_final, __is_final)
__SM_TRAIT(is_pod, __is_pod)
__SM_TRAIT(is_trivial, __is_trivial)
__SM_TRAIT(is_trivially_copyable, __is_trivially_copyable)
__SM_TRAIT(is_standard_layout, __is_standard_layout)
__SM_TRAIT(is_literal_type, __is_literal_type)
__SM_TRAIT(is_default_constructible, __is_constructible)
#undef __SM_TRAIT
template <class A, class B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class A, class B> struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
template <class A, class B> struct is_assignable : bool_constant<__is_assignable(A, B)> {};
template <class T, class... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T, bool = is_arithmetic<T>::value> struct __sm_signed : false_type {};
template <class T> struct __sm_signed<T, true> : bool_constant<__sm_flt<T>::value || (T(-1) < T(0))> {};
template <class T> struct is_signed : __sm_signed<__sm_lane_of<T>> {};
template <class T> struct is_unsigned
    : bool_constant<is_integral<T>::value && !is_signed<T>::value> {};
template <class T> struct make_unsigned { typedef T type; };
template <class T> struct make_signed { typedef T type; };
#define __SM_SIGN(S, U) \
  template <> struct make_unsigned<S> { typedef U type; }; \
  template <> struct make_signed<U> { typedef S type; };
__SM_SIGN(char, uchar)
__SM_SIGN(short, ushort)
__SM_SIGN(int, uint)
__SM_SIGN(long, ulong)
#undef __SM_SIGN
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;
#define __SM_VALUE(NAME) template <class T> constexpr bool NAME##_v = NAME<T>::value;
__SM_VALUE(is_integral) __SM_VALUE(is_floating_point) __SM_VALUE(is_arithmetic) __SM_VALUE(is_scalar)
__SM_VALUE(is_fundamental) __SM_VALUE(is_compound) __SM_VALUE(is_function) __SM_VALUE(is_object)
__SM_VALUE(is_signed) __SM_VALUE(is_unsigned) __SM_VALUE(is_pointer) __SM_VALUE(is_lvalue_reference)
__SM_VALUE(is_rvalue_reference) __SM_VALUE(is_reference) __SM_VALUE(is_array) __SM_VALUE(is_const)
__SM_VALUE(is_volatile) __SM_VALUE(is_void) __SM_VALUE(is_null_pointer) __SM_VALUE(is_enum)
__SM_VALUE(is_union) __SM_VALUE(is_class) __SM_VALUE(is_final) __SM_VALUE(is_pod)
__SM_VALUE(is_trivial) __SM_VALUE(is_trivially_copyable) __SM_VALUE(is_standard_layout)
__SM_VALUE(is_literal_type) __SM_VALUE(is_default_constructible)
#undef __SM_VALUE
template <class A, class B> constexpr bool is_base_of_v = is_base_of<A, B>::value;
template <class A, class B> constexpr bool is_convertible_v = is_convertible<A, B>::value;
template <class A, class B> constexpr bool is_assignable_v = is_assignable<A, B>::value;
template <class T, class... A> constexpr bool is_constructible_v = is_constructible<T, A...>::value;
template <class T> constexpr size_t rank_v = rank<T>::value;
template <class T, unsigned I = 0> constexpr size_t extent_v = extent<T, I>::value;
template <class T> constexpr size_t alignment_of_v = alignment_of<T>::value;

template <class...> struct conjunction : true_type {};
template <class A> struct conjunction<A> : A {};
template <class A, class... R>
struct conjunction<A, R...> : conditional_t<bool(A::value), conjunction<R...>, A> {};
template <class...> struct disjunction : false_type {};
template <class A> struct disjunction<A> : A {};
template <class A, class... R>
struct disjunction<A, R...> : conditional_t<bool(A::value), A, disjunction<R...>> {};
template <class A> struct negation : bool_constant<!bool(A::value)> {};
template <class... A> constexpr bool conjunction_v = conjunction<A...>::value;
template <class... A> constexpr bool disjunction_v = disjunction<A...>::value;
template <class A> constexpr bool negation_v = negation<A>::value;
// Names Apple's own headers use inside, which public kernels rely on.
template <class... A> using _conjunction = conjunction<A...>;
template <class... A> using _disjunction = disjunction<A...>;
template <class A> using _negation = negation<A>;

template <class T> T &&declval();
template <class A, class B> struct __sm_common { typedef decltype(true ? A() : B()) type; };
template <class... T> struct common_type;
template <class A> struct common_type<A> { typedef A type; };
template <class A, class B> struct common_type<A, B> : __sm_common<A, B> {};
template <class A, class B, class... R>
struct common_type<A, B, R...> : common_type<typename common_type<A, B>::type, R...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> constexpr remove_reference_t<T> &&move(T &&t) {
  return static_cast<remove_reference_t<T> &&>(t);
}
template <class T, T... I> struct integer_sequence {
  static constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;
} // namespace metal
// A value for what may be an lvalue in some address space; the front end puts it into `?:`.
template <class T> constexpr __sm_inline T __sm_val(T v) { return v; }
