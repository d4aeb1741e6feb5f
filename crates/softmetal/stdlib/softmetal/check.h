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
template <int N> __sm_quiet void __sm_hook(ulong a, uint kind, void *pc) {
  __sm_thread_state *s = __sm_here();
  if ((a ^ ulong(s)) < __SM_STACK) return; // the thread's own stack
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
__sm_outline void __asan_loadN_noabort(ulong a, ulong n) { ((__sm_access_fn)__sm_self()->call->rt->access)(a, n, 0, __builtin_return_address(0)); }
__sm_outline void __asan_storeN_noabort(ulong a, ulong n) { ((__sm_access_fn)__sm_self()->call->rt->access)(a, n, 1, __builtin_return_address(0)); }
__sm_outline void *__asan_memcpy(void *d, const void *s, ulong n) {
  const __sm_runtime *rt = __sm_self()->call->rt;
  ((__sm_access_fn)rt->access)(ulong(s), n, 0, __builtin_return_address(0));
  ((__sm_access_fn)rt->access)(ulong(d), n, 1, __builtin_return_address(0));
  return __builtin_memcpy(d, s, n);
}
__sm_outline void *__asan_memmove(void *d, const void *s, ulong n) {
  const __sm_runtime *rt = __sm_self()->call->rt;
  ((__sm_access_fn)rt->access)(ulong(s), n, 0, __builtin_return_address(0));
  ((__sm_access_fn)rt->access)(ulong(d), n, 1, __builtin_return_address(0));
  return __builtin_memmove(d, s, n);
}
__sm_outline void *__asan_memset(void *d, int v, ulong n) {
  ((__sm_access_fn)__sm_self()->call->rt->access)(ulong(d), n, 1, __builtin_return_address(0));
  return __builtin_memset(d, v, n);
}
__sm_outline void __asan_handle_no_return() {}

// The alignment sanitizer's only question: this pointer is not aligned for its type.
struct __sm_ubsan_place { const char *file; uint line, column; };
struct __sm_ubsan_mismatch { __sm_ubsan_place place; const void *type; uchar log_align, kind; };
__sm_outline void __ubsan_handle_type_mismatch_v1(__sm_ubsan_mismatch *m, ulong p) {
  ((__sm_misaligned_fn)__sm_self()->call->rt->misaligned)(p, 1u << m->log_align, m->place.line, m->place.file);
}
}
