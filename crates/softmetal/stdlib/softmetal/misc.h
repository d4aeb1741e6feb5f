// <metal_array>, std-like odds and ends, and C library names MSL has at global scope.
namespace metal {
// What an element is in each address space its array can be in. OpenCL's `__global` holds both of
// MSL's: what is const there is taken to be in `constant` memory.
template <class T, size_t N> struct array {
  T __d[N];
  typedef T value_type;
  constexpr size_t size() const { return N; }
  constexpr bool empty() const { return N == 0; }
#define __SM_ARRAY(THIS, SPACE) \
  __sm_inline SPACE T &operator[](size_t i) THIS { return ((SPACE T *)__d)[i]; } \
  __sm_inline SPACE T *data() THIS { return (SPACE T *)__d; } \
  __sm_inline SPACE T *begin() THIS { return (SPACE T *)__d; } \
  __sm_inline SPACE T *end() THIS { return (SPACE T *)__d + N; } \
  __sm_inline SPACE T &front() THIS { return *(SPACE T *)__d; } \
  __sm_inline SPACE T &back() THIS { return ((SPACE T *)__d)[N - 1]; }
  __SM_ARRAY(__private, __private)
  __SM_ARRAY(const __private, const __private)
  __SM_ARRAY(__local, __local)
  __SM_ARRAY(const __local, const __local)
  __SM_ARRAY(__global, __sm_device)
  __SM_ARRAY(const __global, const __sm_host)
#undef __SM_ARRAY
  // Temporaries and constant expressions, which are in no address space.
  constexpr __sm_inline const T &operator[](size_t i) const { return __d[i]; }
  constexpr const T *data() const { return __d; }
  constexpr const T *begin() const { return __d; }
  constexpr const T *end() const { return __d + N; }
};
// uniform<T>: the same in every thread, which makes no difference here. OpenCL reserves the name,
// so the front end spells it differently.
template <class T> using __sm_name_uniform = T;
template <class T> constexpr __sm_inline T make_uniform(T v) { return v; }
// What takes a list in braces compiles; no list is made here.
template <class T> struct initializer_list {
  size_t size() const;
  const T *begin() const;
  const T *end() const;
};
template <class T> __sm_inline void swap(T &a, T &b) { T t = a; a = b; b = t; }
using ::as_type;
using ::size_t; using ::ptrdiff_t; using ::uint; using ::ushort; using ::uchar; using ::ulong;
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
#define __SM_NAMES(T) \
  using ::T##2; using ::T##3; using ::T##4; using ::packed_##T##2; using ::packed_##T##3; using ::packed_##T##4;
__SM_NAMES(bool) __SM_NAMES(char) __SM_NAMES(uchar) __SM_NAMES(short) __SM_NAMES(ushort) __SM_NAMES(int) __SM_NAMES(uint)
__SM_NAMES(long) __SM_NAMES(ulong) __SM_NAMES(half) __SM_NAMES(float) __SM_NAMES(bfloat)
#undef __SM_NAMES
#define __SM_NAMES(T, C) using ::T##C##x2; using ::T##C##x3; using ::T##C##x4;
__SM_NAMES(half, 2) __SM_NAMES(half, 3) __SM_NAMES(half, 4) __SM_NAMES(float, 2) __SM_NAMES(float, 3) __SM_NAMES(float, 4)
#undef __SM_NAMES
using ::bfloat; using ::intptr_t; using ::uintptr_t; using ::nullptr_t;
} // namespace metal
// A string: OpenCL's are in `__constant`, which nothing else is in; MSL's are in `constant` memory.
template <size_t N> using __sm_chars = const __sm_host char[N];
template <size_t N> __sm_inline __sm_chars<N> &__sm_string(const __constant char (&s)[N]) { return *(__sm_chars<N> *)(ulong)&s; }
