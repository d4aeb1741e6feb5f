// Checked mode: clang calls these before each memory access (outlined address sanitizer
// instrumentation); they pass on the address, the size and the place.
extern "C" {
// 16 in the kind: the compiler takes the address to be aligned to the size, up to 8.
#define __SM_HOOK(N) \
  __sm_outline void __asan_load##N##_noabort(ulong a) { ((__sm_access_fn)__sm_self()->call->rt->access)(a, N, 16, __builtin_return_address(0)); } \
  __sm_outline void __asan_store##N##_noabort(ulong a) { ((__sm_access_fn)__sm_self()->call->rt->access)(a, N, 17, __builtin_return_address(0)); }
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
