// How the executor calls a kernel: one object per argument, converted to what the kernel declares.
struct __sm_index { // where one thread stands
  uint position[3], lid[3], size[3];
};
template <class A> struct __sm_target { typedef A type; };
template <class A> struct __sm_target<A &> { typedef A type; };
struct __sm_pointer_arg {
  char *p;
  template <class A> __sm_inline A get() const {
    if constexpr (metal::is_reference<A>::value) return *(typename __sm_target<A>::type *)(ulong)p;
    else return (A)(ulong)p;
  }
};
template <class A, int N = metal::__sm_width<typename metal::__sm_bare<A>::type>::value> struct __sm_as {
  static __sm_inline A of(const uint *v) { return A(v[0], v[1]); }
};
template <class A> struct __sm_as<A, 1> { static __sm_inline A of(const uint *v) { return A(v[0]); } };
template <class A> struct __sm_as<A, 3> { static __sm_inline A of(const uint *v) { return A(v[0], v[1], v[2]); } };
struct __sm_index_arg {
  uint v[3];
  template <class A> __sm_inline A get() const { return __sm_as<metal::remove_cv_t<A>>::of(v); }
};
template <class... A, class... S> __sm_inline void __sm_invoke(void (*f)(A...), S... s) { f(s.template get<A>()...); }
// For each argument: the size of what it points at, its alignment, and whether it is read only.
template <class T> struct __sm_read_only { static constexpr uint value = 0; };
template <class T> struct __sm_read_only<const T> { static constexpr uint value = 1; };
template <class A> struct __sm_fact { static constexpr uint size = 0, align = 0, fixed = 0; };
template <class T, bool = metal::is_void<T>::value> struct __sm_extent {
  static constexpr uint size = sizeof(typename metal::__sm_plain<T>::type), align = alignof(typename metal::__sm_plain<T>::type);
};
template <class T> struct __sm_extent<T, true> { static constexpr uint size = 1, align = 1; };
template <class A> struct __sm_fact<A *> : __sm_extent<A> { static constexpr uint fixed = __sm_read_only<A>::value; };
template <class A> struct __sm_fact<A &> : __sm_extent<A> { static constexpr uint fixed = __sm_read_only<A>::value; };
template <class... A> __sm_outline void __sm_facts(void (*)(A...), uint *out) {
  uint n = 0;
  ((out[n++] = __sm_fact<A>::size, out[n++] = __sm_fact<A>::align, out[n++] = __sm_fact<A>::fixed), ...);
}

__sm_inline uint __sm_linear(const __sm_index &i) { return (i.lid[2] * i.size[1] + i.lid[1]) * i.size[0] + i.lid[0]; }
__sm_inline uint __sm_count(const uint *v) { return v[0] * v[1] * v[2]; }
__sm_inline __sm_index_arg __sm_three(uint a, uint b, uint c) { return __sm_index_arg{{a, b, c}}; }
__sm_inline __sm_index_arg __sm_three(const uint *v) { return __sm_index_arg{{v[0], v[1], v[2]}}; }
__sm_inline __sm_index_arg __sm_one(uint a) { return __sm_index_arg{{a, 1, 1}}; }
#define __SM_AT_thread_position_in_grid \
  __sm_three(i.position[0] * c->tpg[0] + i.lid[0], i.position[1] * c->tpg[1] + i.lid[1], i.position[2] * c->tpg[2] + i.lid[2])
#define __SM_AT_thread_position_in_threadgroup __sm_three(i.lid)
#define __SM_AT_threadgroup_position_in_grid __sm_three(i.position)
#define __SM_AT_threads_per_grid __sm_three(c->grid)
#define __SM_AT_threads_per_threadgroup __sm_three(i.size)
#define __SM_AT_dispatch_threads_per_threadgroup __sm_three(c->tpg)
#define __SM_AT_threadgroups_per_grid __sm_three(c->groups)
#define __SM_AT_thread_index_in_threadgroup __sm_one(__sm_linear(i))
#define __SM_AT_thread_index_in_simdgroup __sm_one(__sm_linear(i) % 32)
#define __SM_AT_simdgroup_index_in_threadgroup __sm_one(__sm_linear(i) / 32)
#define __SM_AT_simdgroups_per_threadgroup __sm_one((__sm_count(i.size) + 31) / 32)
#define __SM_AT_dispatch_simdgroups_per_threadgroup __sm_one((__sm_count(c->tpg) + 31) / 32)
#define __SM_AT_threads_per_simdgroup __sm_one(32)
#define __SM_AT_thread_execution_width __sm_one(32)
#define __SM_AT_thread_index_in_quadgroup __sm_one(__sm_linear(i) % 4)
#define __SM_AT_quadgroup_index_in_threadgroup __sm_one(__sm_linear(i) / 4)
#define __SM_AT_quadgroups_per_threadgroup __sm_one((__sm_count(i.size) + 3) / 4)
#define __SM_AT_dispatch_quadgroups_per_threadgroup __sm_one((__sm_count(c->tpg) + 3) / 4)
#define __SM_AT_quadgroup_index_in_simdgroup __sm_one(__sm_linear(i) % 32 / 4)
#define __SM_AT_grid_origin __sm_three(0, 0, 0)
#define __SM_AT_grid_size __sm_three(c->grid)

// One thread. The executor calls it on a coroutine, or in a loop of its own.
#define __SM_THREAD_ENTRY(N, F, ...) \
  extern "C" __attribute__((visibility("default"))) void __sm_thread_##N(const __sm_call *c, const __sm_index *at) { \
    const __sm_index &i = *at; \
    __sm_invoke(F, ##__VA_ARGS__); \
  }
// A run of whole threadgroups, for kernels whose threads never meet. Threads are independent,
// which is what the pragma tells the vectoriser.
#define __SM_LOOP_ENTRY(N, F, ...) \
  extern "C" __attribute__((visibility("default"))) void __sm_loop_##N(const __sm_call *cp, uint first, uint count) { \
    const __sm_call call = *cp; \
    const __sm_call *c = &call; \
    for (uint g = first; g < first + count; g++) { \
      __sm_index i; \
      i.position[0] = g % c->groups[0]; \
      i.position[1] = g / c->groups[0] % c->groups[1]; \
      i.position[2] = g / c->groups[0] / c->groups[1]; \
      for (int d = 0; d < 3; d++) { \
        uint left = c->grid[d] - i.position[d] * c->tpg[d]; \
        i.size[d] = left < c->tpg[d] ? left : c->tpg[d]; \
      } \
      for (uint z = 0; z < i.size[2]; z++) \
        for (uint y = 0; y < i.size[1]; y++) { \
          const uint nx = i.size[0]; \
          _Pragma("clang loop vectorize(assume_safety)") \
          for (uint x = 0; x < nx; x++) { \
            i.lid[0] = x; i.lid[1] = y; i.lid[2] = z; \
            __sm_invoke(F, ##__VA_ARGS__); \
          } \
        } \
    } \
  }
#ifdef __SM_CHECKED
// A whole threadgroup in checked mode, for kernels whose threads never meet: one thread after the
// other, in the order of an even step that comes by all of them.
__sm_outline inline void __sm_enter(uint index, uint number) {
  __sm_thread_state *s = __sm_here();
  s->index = index;
  s->number = number;
}
#define __SM_WALK_ENTRY(N, F, ...) \
  extern "C" __attribute__((visibility("default"))) \
  void __sm_walk_##N(const __sm_call *cp, const __sm_index *from, uint number, uint at, uint step) { \
    const __sm_call call = *cp; \
    const __sm_call *c = &call; \
    __sm_index i = *from; \
    const uint n = __sm_count(i.size), width = i.size[0], height = i.size[1]; \
    uint x = at % width, y = at / width % height, z = at / width / height; \
    for (uint k = 0; k < n; k++) { \
      __sm_enter(at, number + at); \
      i.lid[0] = x; i.lid[1] = y; i.lid[2] = z; \
      __sm_invoke(F, ##__VA_ARGS__); \
      at += step; \
      if (at >= n) at -= n; \
      if (step == 1 && at) { \
        if (++x == width) { x = 0; if (++y == height) { y = 0; z++; } } \
      } else { x = at % width; y = at / width % height; z = at / width / height; } \
    } \
  }
#endif
#define __SM_FACTS_ENTRY(N, F) \
  __sm_export void __sm_facts_##N(uint *out) { __sm_facts(F, out); }

// Threadgroup variables: a record in the object file says which kernel has which, and how large.
struct __sm_shared_record { const __global void *tag; uint slot, size, align, pad; };
#define __SM_SHARED(SLOT, TYPE, ALIGN, ...) \
  static const __global __attribute__((used, section("sm_shared"))) __sm_shared_record __sm_rec_##SLOT = \
      {__VA_ARGS__, SLOT, sizeof(TYPE), alignof(ALIGN) > alignof(TYPE) ? alignof(ALIGN) : alignof(TYPE), 0};
__sm_inline char *__sm_shared_at(uint slot) {
  const __sm_call *c = __sm_self()->call;
  return c->shared + c->shared_at[slot];
}
// A constant array lives in `__global`; kernels see it through `constant`.
template <class T> struct __sm_host_view { typedef __sm_host T type; };
template <class T> struct __sm_host_view<__global T> { typedef __sm_host T type; };
template <class T> struct __sm_host_view<const __global T> { typedef const __sm_host T type; };
template <class T, size_t N> struct __sm_host_view<T[N]> { typedef __sm_host T type[N]; };
template <class T, size_t N> struct __sm_host_view<__global T[N]> { typedef __sm_host T type[N]; };
template <class T, size_t N> struct __sm_host_view<const __global T[N]> { typedef const __sm_host T type[N]; };
template <class T> using __sm_host_of = typename __sm_host_view<T>::type;
