// Checked mode: clang calls these before each memory access (outlined address sanitizer
// instrumentation); they pass on the address, the size and the place.
#define __sm_quiet inline __attribute__((always_inline, no_sanitize("kernel-address", "alignment")))
// The state of the calling thread, without the frame that `__sm_self` makes.
__sm_quiet __sm_thread_state *__sm_here() {
  ulong sp;
#ifdef __x86_64__
  __asm__("movq %%rsp, %0" : "=r"(sp));
#else
  __asm__("mov %0, sp" : "=r"(sp));
#endif
  return (__sm_thread_state *)((sp & ~ulong(__SM_STACK - 1)) + __SM_STACK - sizeof(__sm_thread_state));
}
// Notes the bytes of an access in a map with four bits for each word. Workers share the map: what is
// there already is not stored again, which would take the line from the others.
template <class T> __sm_quiet void __sm_put(ulong at, T v) {
  if (*(T *)at != v) *(T *)at = v;
}
template <int N> __sm_quiet void __sm_mark(ulong map, ulong a) {
  if constexpr (N == 16) __sm_put(map + (a >> 2), 0x0f0f0f0fu);
  else if constexpr (N == 8) __sm_put(map + (a >> 2), ushort(0x0f0f));
  else if constexpr (N == 4) __sm_put(map + (a >> 2), uchar(15));
  else {
    uchar bits = ((1 << N) - 1) << (a & 3);
    uchar *at = (uchar *)(map + (a >> 2));
    if ((*at & bits) != bits) __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
  }
}
// Most accesses are like the one before at the same place: those are settled here, the others by
// the checker itself. 16 in the kind: the compiler takes the address to be aligned to the size, up
// to 8.
// The thread's own stack: whether some bytes are beside its arrays. Of eight bytes the map says 0 if
// all are a variable's, how many are, or 128 and more if none is.
__sm_quiet bool __sm_beside(const uchar *map, ulong a, ulong n) {
  for (ulong at = a & ~7ul; at < a + n; at += 8) {
    uchar m = map[(at & (__SM_STACK - 1)) >> 3];
    ulong end = a + n < at + 8 ? a + n - at : 8;
    if (m && (m > 127 || end > m)) return true;
  }
  return false;
}
template <int N> __sm_quiet void __sm_hook(ulong a, uint kind, void *pc) {
  __sm_thread_state *s = __sm_here();
  if ((a ^ ulong(s)) < __SM_STACK) {
    if (s->private_map && __sm_beside(s->private_map, a, N)) ((__sm_access_fn)s->call->rt->stray)(a, N, kind, pc);
    return;
  }
  __sm_site *site = &s->sites[ulong(pc) & (__SM_SITES - 1)];
  if (site->pc == ulong(pc)) {
    if (site->next == a && site->thread == s->number && site->left) {
      site->next += site->stride;
      site->thread += site->step;
      site->left--;
      return;
    }
    if (a - site->low <= site->span && !(a & (N < 8 ? N - 1 : 7))) {
      if (site->map > 1) {
        __sm_mark<N>(site->map, a);
        site->left--;
        return;
      }
      if (site->map == 1) return;
    }
  }
  ((__sm_access_fn)s->call->rt->access)(a, N, kind, pc);
}
extern "C" {
#define __SM_HOOK(N) \
  __sm_outline void __asan_load##N##_noabort(ulong a) { __sm_hook<N>(a, 16, __builtin_return_address(0)); } \
  __sm_outline void __asan_store##N##_noabort(ulong a) { __sm_hook<N>(a, 17, __builtin_return_address(0)); }
__SM_HOOK(1) __SM_HOOK(2) __SM_HOOK(4) __SM_HOOK(8) __SM_HOOK(16)
#undef __SM_HOOK
__sm_quiet void __sm_range(ulong a, ulong n, uint kind, void *pc) {
  __sm_thread_state *s = __sm_here();
  if (!n) return;
  if ((a ^ ulong(s)) >= __SM_STACK) ((__sm_access_fn)s->call->rt->access)(a, n, kind, pc);
  else if (s->private_map && __sm_beside(s->private_map, a, n)) ((__sm_access_fn)s->call->rt->stray)(a, n, kind, pc);
}
__sm_outline void __asan_loadN_noabort(ulong a, ulong n) { __sm_range(a, n, 0, __builtin_return_address(0)); }
__sm_outline void __asan_storeN_noabort(ulong a, ulong n) { __sm_range(a, n, 1, __builtin_return_address(0)); }
__sm_outline void *__asan_memcpy(void *d, const void *s, ulong n) {
  __sm_range(ulong(s), n, 0, __builtin_return_address(0));
  __sm_range(ulong(d), n, 1, __builtin_return_address(0));
  return __builtin_memcpy(d, s, n);
}
__sm_outline void *__asan_memmove(void *d, const void *s, ulong n) {
  __sm_range(ulong(s), n, 0, __builtin_return_address(0));
  __sm_range(ulong(d), n, 1, __builtin_return_address(0));
  return __builtin_memmove(d, s, n);
}
__sm_outline void *__asan_memset(void *d, int v, ulong n) {
  __sm_range(ulong(d), n, 1, __builtin_return_address(0));
  return __builtin_memset(d, v, n);
}
// The instrumentation marks what is between the arrays of a thread by these; `a` is the address
// divided by eight. (The map is offset by nothing: see src/compile/clang.rs.)
__sm_quiet void __sm_set_shadow(ulong a, ulong n, uchar v) {
  __sm_thread_state *s = __sm_here();
  if (!s->private_map || (a << 3 ^ ulong(s)) >= __SM_STACK) return;
  for (ulong k = 0; k < n; k++) s->private_map[(((a + k) << 3) & (__SM_STACK - 1)) >> 3] = v;
}
#define __SM_SET(V) __sm_outline void __asan_set_shadow_##V(ulong a, ulong n) { __sm_set_shadow(a, n, 0x##V); }
__SM_SET(00) __SM_SET(01) __SM_SET(02) __SM_SET(03) __SM_SET(04) __SM_SET(05) __SM_SET(06) __SM_SET(07)
__SM_SET(f1) __SM_SET(f2) __SM_SET(f3) __SM_SET(f5) __SM_SET(f8)
#undef __SM_SET
// Constants of the program, with room behind each: src/compile/module.rs reads the list.
static __global ulong __sm_table_list[2];
__sm_outline void __asan_register_globals(ulong list, ulong n) { __sm_table_list[0] = list; __sm_table_list[1] = n; }
__sm_outline void __asan_unregister_globals(ulong, ulong) {}
__sm_export void __sm_tables(ulong *out) { out[0] = __sm_table_list[0]; out[1] = __sm_table_list[1]; }
__sm_outline void __asan_handle_no_return() {}

// What the other sanitizers ask: this pointer is not aligned for its type, this index is beyond its
// array, this number cannot be converted to that integer.
struct __sm_ubsan_place { const char *file; uint line, column; };
struct __sm_ubsan_mismatch { __sm_ubsan_place place; const void *type; uchar log_align, kind; };
__sm_outline void __ubsan_handle_type_mismatch_v1(__sm_ubsan_mismatch *m, ulong p) {
  ((__sm_misaligned_fn)__sm_self()->call->rt->misaligned)(p, 1u << m->log_align, m->place.line, m->place.file);
}
struct __sm_ubsan_two { __sm_ubsan_place place; const void *a, *b; };
__sm_outline void __ubsan_handle_out_of_bounds(__sm_ubsan_two *m, ulong index) {
  ((__sm_undefined_fn)__sm_self()->call->rt->undefined)(0, index, m->a, m->b, __builtin_return_address(0));
}
__sm_outline void __ubsan_handle_float_cast_overflow(__sm_ubsan_two *m, ulong from) {
  ((__sm_undefined_fn)__sm_self()->call->rt->undefined)(1, from, m->a, m->b, __builtin_return_address(0));
}
}
