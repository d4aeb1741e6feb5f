// One function per type and width, as Apple declares them and not as templates: so a call whose
// arguments differ in type is ambiguous here too, and a scalar or a packed vector becomes a vector.
#define __SM_WIDTHS(M, T, ...) M(T, 2, __VA_ARGS__) M(T, 3, __VA_ARGS__) M(T, 4, __VA_ARGS__)
#define __SM_FLOAT_VECS(M, ...) \
  __SM_WIDTHS(M, float, __VA_ARGS__) __SM_WIDTHS(M, half, __VA_ARGS__) __SM_WIDTHS(M, bfloat, __VA_ARGS__)
#define __SM_INT_TYPES(M, ...) \
  M(char, __VA_ARGS__) M(uchar, __VA_ARGS__) M(short, __VA_ARGS__) M(ushort, __VA_ARGS__) \
  M(int, __VA_ARGS__) M(uint, __VA_ARGS__) M(long, __VA_ARGS__) M(ulong, __VA_ARGS__)
#define __SM_INT_WIDTHS(T, M, ...) __SM_WIDTHS(M, T, __VA_ARGS__)
#define __SM_INT_VECS(M, ...) __SM_INT_TYPES(__SM_INT_WIDTHS, M, __VA_ARGS__)
#define __SM_EACH(R, N, VALUE) R##N r; for (int i = 0; i < N; i++) r.e[i] = VALUE; return r;
#define __SM_VEC1(T, N, NAME) __sm_inline T##N NAME(T##N a) { __SM_EACH(T, N, NAME(a.e[i])) }
#define __SM_VEC2(T, N, NAME) __sm_inline T##N NAME(T##N a, T##N b) { __SM_EACH(T, N, NAME(a.e[i], b.e[i])) }
#define __SM_VEC3(T, N, NAME) __sm_inline T##N NAME(T##N a, T##N b, T##N c) { __SM_EACH(T, N, NAME(a.e[i], b.e[i], c.e[i])) }
