// matrix<T, C, R>: C columns of R rows.
namespace metal {
// Whether all types are so many numbers.
template <int W, class... A> struct __sm_all_wide : true_type {};
template <int W, class A, class... Q> struct __sm_all_wide<W, A, Q...>
    : bool_constant<__sm_width<typename __sm_bare<A>::type>::value == W && __sm_all_wide<W, Q...>::value> {};
template <class T, int C, int R> struct matrix {
  static_assert(__sm_flt<T>::value, "a matrix is of float, half or bfloat");
  typedef vec<T, R> column;
  column columns[C];
  matrix() = default;
  // A single scalar makes a diagonal matrix.
  template <class S, enable_if_t<is_arithmetic<S>::value, int> = 0>
  explicit constexpr __sm_inline matrix(S s) : columns{} {
    for (int i = 0; i < (C < R ? C : R); i++) columns[i].e[i] = T(s);
  }
  // Its columns.
  template <class A, class B, class... Q,
            enable_if_t<sizeof...(Q) + 2 == C && __sm_all_wide<R, A, B, Q...>::value, int> = 0>
  constexpr __sm_inline matrix(A a, B b, Q... q) : columns{column(a), column(b), column(q)...} {}
  // All its elements, column by column.
  template <class A, class B, class... Q,
            enable_if_t<sizeof...(Q) + 2 == C * R && __sm_all_wide<1, A, B, Q...>::value, int> = 0>
  constexpr __sm_inline matrix(A a, B b, Q... q) : columns{} {
    int i = 2;
    columns[0].e[0] = T(a);
    columns[0].e[1] = T(b);
    ((columns[i / R].e[i % R] = T(q), i++), ...);
  }
  template <class U, enable_if_t<!is_same<T, U>::value, int> = 0>
  explicit constexpr __sm_inline matrix(const matrix<U, C, R> &m) : columns{} {
    for (int c = 0; c < C; c++) columns[c] = column(m.columns[c]);
  }
  __sm_inline matrix &operator+=(const matrix &m) { return *this = *this + m; }
  __sm_inline matrix &operator-=(const matrix &m) { return *this = *this - m; }
  template <class S> __sm_inline matrix &operator*=(const S &s) { return *this = *this * s; }
  // A column is where its matrix is; as with arrays, what is const in `__global` is `constant`.
#define __SM_COLUMN(THIS, SPACE) \
  __sm_inline SPACE column &operator[](int c) THIS & { return ((SPACE column *)columns)[c]; }
  __SM_COLUMN(__private, __private)
  __SM_COLUMN(const __private, const __private)
  __SM_COLUMN(__local, __local)
  __SM_COLUMN(const __local, const __local)
  __SM_COLUMN(__global, __sm_device)
  __SM_COLUMN(const __global, const __sm_host)
#undef __SM_COLUMN
  constexpr __sm_inline const column &operator[](int c) const & { return columns[c]; }
  // The result of an operation is in no space: its column is a value.
  constexpr __sm_inline column operator[](int c) const && { return columns[c]; }
};
#define __SM_MATOP(OP) \
  template <class T, int C, int R> __sm_inline matrix<T, C, R> operator OP(const matrix<T, C, R> &a, const matrix<T, C, R> &b) { \
    matrix<T, C, R> m; \
    for (int c = 0; c < C; c++) m.columns[c] = a.columns[c] OP b.columns[c]; \
    return m; \
  }
__SM_MATOP(+)
__SM_MATOP(-)
#undef __SM_MATOP
template <class T, int C, int R> __sm_inline matrix<T, C, R> operator-(const matrix<T, C, R> &a) {
  matrix<T, C, R> m;
  for (int c = 0; c < C; c++) m.columns[c] = -a.columns[c];
  return m;
}
template <class T, int C, int R, class S, enable_if_t<is_arithmetic<S>::value, int> = 0>
__sm_inline matrix<T, C, R> operator*(const matrix<T, C, R> &a, S s) {
  matrix<T, C, R> m;
  for (int c = 0; c < C; c++) m.columns[c] = a.columns[c] * T(s);
  return m;
}
template <class T, int C, int R, class S, enable_if_t<is_arithmetic<S>::value, int> = 0>
__sm_inline matrix<T, C, R> operator*(S s, const matrix<T, C, R> &a) { return a * s; }
template <class T, int C, int R> __sm_inline vec<T, R> operator*(const matrix<T, C, R> &a, const vec<T, C> &v) {
  vec<T, R> r = a.columns[0] * v.e[0];
  for (int c = 1; c < C; c++) r += a.columns[c] * v.e[c];
  return r;
}
template <class T, int C, int R> __sm_inline vec<T, C> operator*(const vec<T, R> &v, const matrix<T, C, R> &a) {
  vec<T, C> r;
  for (int c = 0; c < C; c++) {
    T s = a.columns[c].e[0] * v.e[0];
    for (int k = 1; k < R; k++) s += a.columns[c].e[k] * v.e[k];
    r.e[c] = s;
  }
  return r;
}
template <class T, int C, int R, int K>
__sm_inline matrix<T, K, R> operator*(const matrix<T, C, R> &a, const matrix<T, K, C> &b) {
  matrix<T, K, R> m;
  for (int k = 0; k < K; k++) m.columns[k] = a * b.columns[k];
  return m;
}
template <class T, int C, int R> __sm_inline bool operator==(const matrix<T, C, R> &a, const matrix<T, C, R> &b) {
  bool same = true;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) same = same && a.columns[c].e[r] == b.columns[c].e[r];
  return same;
}
template <class T, int C, int R> __sm_inline bool operator!=(const matrix<T, C, R> &a, const matrix<T, C, R> &b) { return !(a == b); }
template <class T, int C, int R> __sm_inline matrix<T, R, C> transpose(const matrix<T, C, R> &a) {
  matrix<T, R, C> m;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) m.columns[r].e[c] = a.columns[c].e[r];
  return m;
}
template <class T> __sm_inline T determinant(const matrix<T, 2, 2> &m) {
  return m[0][0] * m[1][1] - m[1][0] * m[0][1];
}
template <class T> __sm_inline T determinant(const matrix<T, 3, 3> &m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[2][1] * m[1][2]) -
         m[1][0] * (m[0][1] * m[2][2] - m[2][1] * m[0][2]) +
         m[2][0] * (m[0][1] * m[1][2] - m[1][1] * m[0][2]);
}
template <class T> __sm_inline T determinant(const matrix<T, 4, 4> &m) {
  T d = 0;
  for (int c = 0; c < 4; c++) {
    matrix<T, 3, 3> k;
    for (int i = 0, j = 0; i < 4; i++)
      if (i != c) {
        k[j] = vec<T, 3>(m[i][1], m[i][2], m[i][3]);
        j++;
      }
    T t = m[c][0] * determinant(k);
    d += c % 2 ? -t : t;
  }
  return d;
}
} // namespace metal
#define __SM_MAT(T, C) \
  typedef metal::matrix<T, C, 2> T##C##x2; \
  typedef metal::matrix<T, C, 3> T##C##x3; \
  typedef metal::matrix<T, C, 4> T##C##x4;
__SM_MAT(float, 2)
__SM_MAT(float, 3)
__SM_MAT(float, 4)
__SM_MAT(half, 2)
__SM_MAT(half, 3)
__SM_MAT(half, 4)
#undef __SM_MAT
