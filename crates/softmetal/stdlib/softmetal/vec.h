// vec<T, N>: MSL's vectors as classes, with swizzles as properties (see swizzles.h, generated).
namespace metal {
template <class T, int N> struct vec;
template <class T, int N> struct packed_vec;

template <class T> struct __sm_width { static constexpr int value = 1; };
template <class T, int N> struct __sm_width<vec<T, N>> { static constexpr int value = N; };
template <class T, int N> struct __sm_width<packed_vec<T, N>> { static constexpr int value = N; };
template <class T> using vec_elements = __sm_width<T>;
template <class... A> struct __sm_total;
template <> struct __sm_total<> { static constexpr int value = 0; };
template <class A, class... R> struct __sm_total<A, R...> {
  static constexpr int value = __sm_width<typename __sm_bare<A>::type>::value + __sm_total<R...>::value;
};
template <class T> struct is_vector : bool_constant<(__sm_width<typename __sm_bare<T>::type>::value > 1)> {};
template <class T> constexpr bool is_vector_v = is_vector<T>::value;
// What a SIMD-group function takes: numbers of at most 32 bits and vectors of them, not bool.
template <class T> struct __is_valid_simdgroup_type
    : bool_constant<is_arithmetic<T>::value && !is_same<T, bool>::value && sizeof(T) <= 4> {};
template <class T, int N> struct __is_valid_simdgroup_type<vec<T, N>> : __is_valid_simdgroup_type<T> {};
template <class T> struct __sm_element { typedef T type; };
template <class T, int N> struct __sm_element<vec<T, N>> { typedef T type; };
template <class T, int N> struct __sm_element<packed_vec<T, N>> { typedef T type; };
template <class T> using vec_element_t = typename __sm_element<T>::type;
template <class T, int N> struct make_vector { typedef vec<T, N> type; };
template <class T, int N> using make_vector_t = typename make_vector<T, N>::type;

template <class T, class S> struct __sm_put {
  static constexpr __sm_inline void at(T *e, int &i, S s) { e[i++] = T(s); }
};
template <class T, class U, int N> struct __sm_put<T, vec<U, N>> {
  static constexpr __sm_inline void at(T *e, int &i, const vec<U, N> &v) {
    for (int k = 0; k < N; k++) e[i++] = T(v.e[k]);
  }
};
template <class T, class U, int N> struct __sm_put<T, packed_vec<U, N>> {
  static constexpr __sm_inline void at(T *e, int &i, const packed_vec<U, N> &v) {
    for (int k = 0; k < N; k++) e[i++] = T(v.e[k]);
  }
};

#define __SM_VEC_BODY(NAME, N) \
  NAME() = default; \
  template <class S, enable_if_t<is_arithmetic<S>::value, int> = 0> \
  constexpr __sm_inline NAME(S s) : e{} { for (int i = 0; i < N; i++) e[i] = T(s); } \
  template <class A, class B, class... R, \
            enable_if_t<__sm_total<A, B, R...>::value == N, int> = 0> \
  constexpr __sm_inline NAME(A a, B b, R... r) : e{} { \
    int i = 0; \
    __sm_put<T, A>::at(e, i, a); \
    __sm_put<T, B>::at(e, i, b); \
    (__sm_put<T, R>::at(e, i, r), ...); \
  } \
  __sm_inline T &operator[](int i) { return e[i]; } \
  constexpr __sm_inline const T &operator[](int i) const { return e[i]; }
// Members, not functions that a template would find by name: with such in sight, clang refuses
// `v.xy *= 2` in a template.
#define __SM_VEC_SET(NAME, N, OP) \
  template <class R, class = decltype(declval<vec<T, N>>() OP declval<R>())> \
  __sm_inline NAME &operator OP##=(const R &b) { return *this = NAME(vec<T, N>(*this) OP b); } \
  template <class R, class = decltype(declval<vec<T, N>>() OP declval<R>())> \
  __sm_inline volatile NAME &operator OP##=(const R &b) volatile { \
    vec<T, N> v(T(0)); \
    for (int i = 0; i < N; i++) v.e[i] = e[i]; \
    return *this = NAME(v OP b); \
  }
#define __SM_VEC_SETS(NAME, N) \
  __SM_VEC_SET(NAME, N, +) __SM_VEC_SET(NAME, N, -) __SM_VEC_SET(NAME, N, *) __SM_VEC_SET(NAME, N, /) \
  __SM_VEC_SET(NAME, N, %) __SM_VEC_SET(NAME, N, &) __SM_VEC_SET(NAME, N, |) __SM_VEC_SET(NAME, N, ^) \
  __SM_VEC_SET(NAME, N, <<) __SM_VEC_SET(NAME, N, >>) \
  __sm_inline NAME &operator++() { return *this += T(1); } \
  __sm_inline NAME &operator--() { return *this -= T(1); } \
  __sm_inline NAME operator++(int) { NAME old = *this; *this += T(1); return old; } \
  __sm_inline NAME operator--(int) { NAME old = *this; *this -= T(1); return old; }
#define __SM_VEC_CAST(NAME, OTHER, N) \
  template <class U, enable_if_t<!is_same<T, U>::value, int> = 0> \
  explicit constexpr __sm_inline NAME(const NAME<U, N> &v) : e{} { \
    for (int i = 0; i < N; i++) e[i] = T(v.e[i]); \
  } \
  constexpr __sm_inline NAME(const OTHER<T, N> &v) : e{} { \
    for (int i = 0; i < N; i++) e[i] = v.e[i]; \
  } \
  template <class U, enable_if_t<!is_same<T, U>::value, int> = 0> \
  explicit constexpr __sm_inline NAME(const OTHER<U, N> &v) : e{} { \
    for (int i = 0; i < N; i++) e[i] = T(v.e[i]); \
  }
// Whole vectors in and out of volatile memory. Templates, so that a vector stays trivial to copy.
#define __SM_VEC_VOLATILE(NAME, N) \
  template <class U, enable_if_t<is_volatile<U>::value && is_same<typename __sm_bare<U>::type, NAME>::value, int> = 0> \
  __sm_inline NAME(U &v) : e{} { for (int i = 0; i < N; i++) e[i] = v.e[i]; } \
  template <class U, enable_if_t<is_same<U, NAME>::value, int> = 0> \
  __sm_inline volatile NAME &operator=(U v) volatile { for (int i = 0; i < N; i++) e[i] = v.e[i]; return *this; }
#ifdef __SM_CHECKED
// Whole vectors in and out of memory that others see go through functions here, so that the
// sanitizer asks whether they are aligned. Templates leave the vector trivial to copy.
#define __SM_VEC_FROM(AS) \
  template <class U, enable_if_t<is_same<U, vec>::value, int> = 0> \
  __sm_inline vec(const AS U &v) : e{} { for (int i = 0; i < int(sizeof(e) / sizeof(T)); i++) e[i] = v.e[i]; }
#define __SM_VEC_TO(AS) \
  template <class U, enable_if_t<is_same<typename __sm_bare<U>::type, vec>::value || is_arithmetic<U>::value, int> = 0> \
  __sm_inline AS vec &operator=(U &&u) AS { \
    vec v = u; \
    for (int i = 0; i < int(sizeof(e) / sizeof(T)); i++) e[i] = v.e[i]; \
    return *this; \
  }
#define __SM_VEC_MEMORY \
  __SM_VEC_FROM(__sm_device) __SM_VEC_FROM(__sm_host) __SM_VEC_FROM(__local) \
  __SM_VEC_TO(__global) __SM_VEC_TO(__local)
#else
#define __SM_VEC_MEMORY
#endif
#ifdef __SM_STRICT
// No reference binds to an element of MSL's vectors, as none binds to a property. The code that
// runs has fields: clang refuses `v.x += 1` on a property in templates.
#define __SM_STORE(N) T e[N]; __SM_ELEMENTS_##N
#else
#define __SM_STORE(N) union { T e[N]; __SM_FIELDS_##N; };
#define __SM_FIELDS_2 struct { T x, y; }; struct { T r, g; }
#define __SM_FIELDS_3 struct { T x, y, z; }; struct { T r, g, b; }
#define __SM_FIELDS_4 struct { T x, y, z, w; }; struct { T r, g, b, a; }
#endif
#define __SM_VEC(N, STORE) \
  template <class T> struct alignas(sizeof(T) * STORE) vec<T, N> { \
    typedef T __sm_t; \
    __SM_STORE(N) \
    __SM_VEC_BODY(vec, N) \
    __SM_VEC_SETS(vec, N) \
    __SM_VEC_CAST(vec, packed_vec, N) \
    __SM_VEC_VOLATILE(vec, N) \
    __SM_VEC_MEMORY \
    __SM_SWIZZLES_##N \
  }; \
  template <class T> struct packed_vec<T, N> { \
    typedef T __sm_t; \
    __SM_STORE(N) \
    __SM_VEC_BODY(packed_vec, N) \
    __SM_VEC_SETS(packed_vec, N) \
    __SM_VEC_CAST(packed_vec, vec, N) \
    __SM_VEC_VOLATILE(packed_vec, N) \
    __SM_SWIZZLES_##N \
  };
__SM_VEC(2, 2)
__SM_VEC(3, 4)
__SM_VEC(4, 4)
#undef __SM_VEC
template <class T> struct vec<T, 1> {
  union { T e[1]; T x; };
  vec() = default;
  constexpr vec(T s) : e{s} {}
  constexpr operator T() const { return e[0]; }
  __sm_inline T &operator[](int i) { return e[i]; }
};
// `V v = {a, b}` of a longer vector; braces.rs writes the call.
template <class V, class... A> constexpr __sm_inline V __sm_braced(A... a) {
  static_assert(__sm_total<A...>::value <= __sm_width<V>::value, "excess elements in the initializer of a vector");
  V v(0);
  int i = 0;
  (__sm_put<typename V::__sm_t, A>::at(v.e, i, a), ...);
  return v;
}
} // namespace metal

// Every scalar type at every width, at global scope as MSL has them.
#define __SM_VEC_NAMES(T) \
  typedef metal::vec<T, 2> T##2; \
  typedef metal::vec<T, 3> T##3; \
  typedef metal::vec<T, 4> T##4; \
  typedef metal::packed_vec<T, 2> packed_##T##2; \
  typedef metal::packed_vec<T, 3> packed_##T##3; \
  typedef metal::packed_vec<T, 4> packed_##T##4;
__SM_VEC_NAMES(bool)
__SM_VEC_NAMES(char)
__SM_VEC_NAMES(uchar)
__SM_VEC_NAMES(short)
__SM_VEC_NAMES(ushort)
__SM_VEC_NAMES(int)
__SM_VEC_NAMES(uint)
__SM_VEC_NAMES(long)
__SM_VEC_NAMES(ulong)
__SM_VEC_NAMES(half)
__SM_VEC_NAMES(float)
__SM_VEC_NAMES(bfloat)
#undef __SM_VEC_NAMES
