// <metal_array>, std-like odds and ends, and C library names MSL has at global scope.
namespace metal {
template <class T, size_t N> struct array {
  T __d[N];
  typedef T value_type;
  constexpr size_t size() const { return N; }
  constexpr bool empty() const { return N == 0; }
  __sm_inline T &operator[](size_t i) { return __d[i]; }
  constexpr __sm_inline const T &operator[](size_t i) const { return __d[i]; }
  __sm_inline T *data() { return __d; }
  __sm_inline T *begin() { return __d; }
  __sm_inline T *end() { return __d + N; }
  constexpr const T *begin() const { return __d; }
  constexpr const T *end() const { return __d + N; }
};
// uniform<T>: the same in every thread, which makes no difference here. OpenCL reserves the name,
// so the front end spells it differently.
template <class T> using __sm_name_uniform = T;
template <class T> constexpr __sm_inline T make_uniform(T v) { return v; }
template <class A, class B> struct pair { A first; B second; };
template <class T> __sm_inline void swap(T &a, T &b) { T t = a; a = b; b = t; }
using ::as_type;
using ::size_t; using ::ptrdiff_t; using ::uint; using ::ushort; using ::uchar; using ::ulong;
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
} // namespace metal
