// <metal_simdgroup_matrix>: 8x8 matrices spread over a SIMD-group, two elements a lane,
// in the layout Apple's GPUs use (kernels in the wild rely on it).
namespace metal {
struct __sm_origin { uint row, col; };
__sm_inline __sm_origin __sm_fragment(uint lane) {
  uint quad = lane / 4;
  return __sm_origin{(quad & 4) + ((lane / 2) % 4), (quad & 2) * 2 + (lane % 2) * 2};
}
template <class T, int C, int R = C> struct simdgroup_matrix {
  static_assert(C == 8 && R == 8, "simdgroup_matrix is 8x8");
  static_assert(__sm_flt<T>::value, "the elements of a simdgroup_matrix are half, bfloat or float");
  typedef vec<T, 2> storage_type;
  storage_type __m;
  simdgroup_matrix() = default;
  // A scalar makes a diagonal matrix.
  __sm_inline explicit simdgroup_matrix(T diagonal) {
    __sm_origin o = __sm_fragment(__sm_self()->lane);
    __m = storage_type(T(0));
    if (o.row == o.col) __m.e[0] = diagonal;
    if (o.row == o.col + 1) __m.e[1] = diagonal;
  }
  __sm_inline __private storage_type &thread_elements() __private { return __m; }
  __sm_inline storage_type &thread_elements() { return __m; }
  __sm_inline const __private storage_type &thread_elements() const __private { return __m; }
  __sm_inline storage_type thread_elements() const { return __m; }
};
template <class T, int C, int R = C> __sm_inline simdgroup_matrix<T, C, R> make_filled_simdgroup_matrix(T v) {
  simdgroup_matrix<T, C, R> m;
  m.__m = vec<T, 2>(v);
  return m;
}
template <class T, int C, int R = C> __sm_inline simdgroup_matrix<T, C, R> make_diagonal_simdgroup_matrix(T v) {
  return simdgroup_matrix<T, C, R>(v);
}
__sm_inline ulong __sm_element_at(uint row, uint col, ulong stride, ulong2 origin, bool transposed) {
  return transposed ? (origin.y + col) * stride + origin.x + row : (origin.y + row) * stride + origin.x + col;
}
// The lanes of a SIMD-group run in step on a GPU, and kernels rely on it: a load from threadgroup
// memory comes after what all lanes did before it, a store before what they do after it.
#define __SM_IN_STEP() __sm_meet(__SM_MEET_SIMD, 0);
#define __SM_AT_ONCE()
#define __SM_LOADSTORE(AS, MEET) \
  template <class T> __sm_inline void simdgroup_load(simdgroup_matrix<T, 8, 8> &m, const volatile AS T *p, \
      ulong stride = 8, ulong2 origin = ulong2(0ul), bool transposed = false) { \
    __sm_origin o = __sm_fragment(__sm_self()->lane); \
    const AS T *q = (const AS T *)p; \
    MEET() \
    m.__m.e[0] = q[__sm_element_at(o.row, o.col, stride, origin, transposed)]; \
    m.__m.e[1] = q[__sm_element_at(o.row, o.col + 1, stride, origin, transposed)]; \
  } \
  template <class T> __sm_inline void simdgroup_store(const simdgroup_matrix<T, 8, 8> &m, volatile AS T *p, \
      ulong stride = 8, ulong2 origin = ulong2(0ul), bool transposed = false) { \
    __sm_origin o = __sm_fragment(__sm_self()->lane); \
    AS T *q = (AS T *)p; \
    q[__sm_element_at(o.row, o.col, stride, origin, transposed)] = m.__m.e[0]; \
    q[__sm_element_at(o.row, o.col + 1, stride, origin, transposed)] = m.__m.e[1]; \
    MEET() \
  }
__SM_LOADSTORE(__sm_device, __SM_AT_ONCE)
__SM_LOADSTORE(__local, __SM_IN_STEP)
template <class T> __sm_inline void simdgroup_load(simdgroup_matrix<T, 8, 8> &m, const __sm_host T *p,
    ulong stride = 8, ulong2 origin = ulong2(0ul), bool transposed = false) {
  simdgroup_load(m, (const __sm_device T *)p, stride, origin, transposed);
}
#undef __SM_LOADSTORE
#undef __SM_IN_STEP
#undef __SM_AT_ONCE

typedef float __sm_row __attribute__((ext_vector_type(8), aligned(4)));
__sm_outline inline void __sm_matmul(__sm_exchange *x) {
  __sm_row *c = (__sm_row *)x->c;
  const __sm_row *b = (const __sm_row *)x->b;
  for (int i = 0; i < 8; i++) {
    __sm_row s = c[i];
    for (int k = 0; k < 8; k++) s += x->a[i * 8 + k] * b[k];
    c[i] = s;
  }
}
template <class D, class A, class B, class C>
__sm_inline void __sm_mma(simdgroup_matrix<D, 8, 8> &d, const simdgroup_matrix<A, 8, 8> &a,
                          const simdgroup_matrix<B, 8, 8> &b, const C &c) {
  __sm_thread_state *s = __sm_self();
  __sm_simd *g = s->simd;
  __sm_exchange *x = &g->slot[g->turn & 1];
  __sm_origin o = __sm_fragment(s->lane);
  uint at = o.row * 8 + o.col;
  x->a[at] = float(a.__m.e[0]);
  x->a[at + 1] = float(a.__m.e[1]);
  x->b[at] = float(b.__m.e[0]);
  x->b[at + 1] = float(b.__m.e[1]);
  x->c[at] = float(c.__m.e[0]);
  x->c[at + 1] = float(c.__m.e[1]);
  __sm_meet(__SM_MEET_MATRIX, 0);
  if (!x->ready) {
    __sm_matmul(x);
    x->ready = 1;
  }
  d.__m.e[0] = D(x->c[at]);
  d.__m.e[1] = D(x->c[at + 1]);
}
template <class D, class A, class B, class C>
__sm_inline void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8> &d, const simdgroup_matrix<A, 8, 8> &a,
                                               const simdgroup_matrix<B, 8, 8> &b, const simdgroup_matrix<C, 8, 8> &c) {
  __sm_mma(d, a, b, c);
}
template <class D, class A, class B>
__sm_inline void simdgroup_multiply(simdgroup_matrix<D, 8, 8> &d, const simdgroup_matrix<A, 8, 8> &a,
                                    const simdgroup_matrix<B, 8, 8> &b) {
  __sm_mma(d, a, b, make_filled_simdgroup_matrix<float, 8, 8>(0.0f));
}
template <class T> __sm_inline simdgroup_matrix<T, 8, 8> operator*(const simdgroup_matrix<T, 8, 8> &a, const simdgroup_matrix<T, 8, 8> &b) {
  simdgroup_matrix<T, 8, 8> d;
  simdgroup_multiply(d, a, b);
  return d;
}
typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;
} // namespace metal
