// <metal_atomic>: 32-bit and 64-bit atomics in device and threadgroup memory.
namespace metal {
template <class T> struct atomic {
  static_assert(is_same<T, int>::value || is_same<T, uint>::value || is_same<T, bool>::value ||
                is_same<T, float>::value || is_same<T, ulong>::value,
                "an atomic is of int, uint, bool, float or ulong");
  T __v;
};
template <class T> using _atomic = atomic<T>;
// What is added to: int, uint and float. Compared, and changed by bits: int and uint.
template <class T> using __sm_if_word = enable_if_t<is_same<T, int>::value || is_same<T, uint>::value, int>;
template <class T> using __sm_if_float = enable_if_t<is_same<T, float>::value, int>;
#ifdef __SM_CHECKED
// Kinds as src/check/mod.rs numbers them: 2 atomic read, 3 atomic update.
#define __SM_ATOMIC __sm_outline inline
// 32: the operation orders what came before it; 64: what was there does not matter; 4: a fence for
// device memory.
#define __SM_NOTE(P, KIND) \
  ((__sm_access_fn)__sm_self()->call->rt->access)(ulong(P), sizeof(*P), KIND + (o >= memory_order_release ? 32 : 0), __builtin_return_address(0));
__sm_outline inline void __sm_fence(mem_flags f, thread_scope s) {
  if ((uint(f) & 1) && s >= thread_scope_device)
    ((__sm_access_fn)__sm_self()->call->rt->access)(0, 0, 4, __builtin_return_address(0));
}
#else
#define __SM_ATOMIC __sm_inline
#define __SM_NOTE(P, KIND)
__sm_inline void __sm_fence(mem_flags, thread_scope) {}
#endif
// The bits an atomic is kept in.
template <class T, int = sizeof(T)> struct __sm_bits { typedef uint type; };
template <class T> struct __sm_bits<T, 1> { typedef uchar type; };
template <class T> struct __sm_bits<T, 8> { typedef ulong type; };
template <class T> using __sm_bits_t = typename __sm_bits<T>::type;
#define __SM_RAW(AS, P) ((volatile AS __sm_bits_t<T> *)&(P)->__v)
#define __SM_ATOMICS(AS) \
  template <class T> __SM_ATOMIC T atomic_load_explicit(const volatile AS atomic<T> *p, memory_order o) { \
    __SM_NOTE(&p->__v, 2) return as_type<T>(__sm_bits_t<T>(__atomic_load_n((const volatile AS __sm_bits_t<T> *)&p->__v, __ATOMIC_SEQ_CST))); \
  } \
  template <class T> __SM_ATOMIC void atomic_store_explicit(volatile AS atomic<T> *p, __sm_id_t<T> v, memory_order o) { \
    __SM_NOTE(&p->__v, 3 + 64) __atomic_store_n(__SM_RAW(AS, p), as_type<__sm_bits_t<T>>(v), __ATOMIC_SEQ_CST); \
  } \
  template <class T> __SM_ATOMIC T atomic_exchange_explicit(volatile AS atomic<T> *p, __sm_id_t<T> v, memory_order o) { \
    __SM_NOTE(&p->__v, 3 + 64) return as_type<T>(__sm_bits_t<T>(__atomic_exchange_n(__SM_RAW(AS, p), as_type<__sm_bits_t<T>>(v), __ATOMIC_SEQ_CST))); \
  } \
  template <class T> __sm_inline bool __sm_swap_if(volatile AS atomic<T> *p, __private T &want, T v) { \
    __sm_bits_t<T> w = as_type<__sm_bits_t<T>>(want), n = as_type<__sm_bits_t<T>>(v); \
    __sm_bits_t<T> seen = __sync_val_compare_and_swap(__SM_RAW(AS, p), w, n); \
    want = as_type<T>(seen); \
    return seen == w; \
  } \
  template <class T, class E> __SM_ATOMIC bool atomic_compare_exchange_weak_explicit( \
      volatile AS atomic<T> *p, E *expected, __sm_id_t<T> v, memory_order o, memory_order) { \
    __SM_NOTE(&p->__v, 3) T want = *expected; \
    bool ok = __sm_swap_if(p, want, v); \
    if (!ok) *expected = want; \
    return ok; \
  } \
  __SM_RMW(AS, add) __SM_RMW(AS, sub) __SM_RMW(AS, max) __SM_RMW(AS, min) \
  __SM_RMW(AS, and) __SM_RMW(AS, or) __SM_RMW(AS, xor)
#define __SM_RMW(AS, OP) \
  template <class T, __sm_if_word<T> = 0> __SM_ATOMIC T atomic_fetch_##OP##_explicit(volatile AS atomic<T> *p, __sm_id_t<T> v, memory_order o) { \
    __SM_NOTE(&p->__v, 3) return __atomic_fetch_##OP(&p->__v, v, __ATOMIC_SEQ_CST); \
  }
#define __SM_RMW_FLOAT(AS, OP, NEXT) \
  template <class T, __sm_if_float<T> = 0> __SM_ATOMIC T atomic_fetch_##OP##_explicit(volatile AS atomic<T> *p, __sm_id_t<T> v, memory_order o) { \
    __SM_NOTE(&p->__v, 3) T old = as_type<T>(__sm_bits_t<T>(__atomic_load_n(__SM_RAW(AS, p), __ATOMIC_SEQ_CST))), next; \
    do next = NEXT; while (!__sm_swap_if(p, old, next)); \
    return old; \
  }
__SM_ATOMICS(__sm_device)
__SM_ATOMICS(__local)
// Floats are added to in device memory alone.
__SM_RMW_FLOAT(__sm_device, add, old + v)
__SM_RMW_FLOAT(__sm_device, sub, old - v)
#define __SM_ATOMIC_LONG(AS, OP) \
  __SM_ATOMIC void atomic_##OP##_explicit(volatile AS atomic<ulong> *p, ulong v, memory_order o) { \
    __SM_NOTE(&p->__v, 3) __atomic_fetch_##OP(&p->__v, v, __ATOMIC_SEQ_CST); \
  }
__SM_ATOMIC_LONG(__sm_device, min)
__SM_ATOMIC_LONG(__sm_device, max)
#undef __SM_ATOMICS
#undef __SM_RMW
#undef __SM_RMW_FLOAT
#undef __SM_ATOMIC_LONG
__sm_inline void atomic_thread_fence(mem_flags f, memory_order = memory_order_seq_cst, thread_scope s = thread_scope_device) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __sm_fence(f, s);
}
// OpenCL predefines these names, so the front end spells them differently.
#define __SM_ATOMIC_NAME(T) typedef atomic<T> __sm_atomic_##T;
__SM_ATOMIC_NAME(int) __SM_ATOMIC_NAME(uint) __SM_ATOMIC_NAME(bool) __SM_ATOMIC_NAME(float)
__SM_ATOMIC_NAME(ulong)
#undef __SM_ATOMIC_NAME
} // namespace metal
