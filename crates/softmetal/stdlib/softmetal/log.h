// <metal_logging>: os_log. Arguments travel as tagged 64-bit words.
namespace metal {
template <class T> __sm_inline ulong __sm_word(T v) {
  if constexpr (__sm_flt<T>::value) return as_type<uint>(float(v));
  else return ulong(v);
}
template <class T> __sm_inline ulong __sm_tag(T) {
  return __sm_flt<T>::value ? 2 : is_signed<T>::value ? 1 : 0;
}
template <class... A> __sm_inline void __sm_log(const char *f, A... a) {
  ulong words[2 * sizeof...(A) + 1];
  uint n = 0;
  ((words[n++] = __sm_tag(a), words[n++] = __sm_word(a)), ...);
  __sm_thread_state *s = __sm_self();
  ((__sm_log_fn)s->call->rt->log)(s, f, words, n / 2);
}
struct os_log {
  os_log() = default;
  template <class A, class B> constexpr os_log(A, B) {}
#define __SM_LOG(NAME) \
  template <class... A> __sm_inline void NAME(const __sm_host char *f, A... a) const { __sm_log((const char *)(ulong)f, a...); }
  __SM_LOG(log) __SM_LOG(log_info) __SM_LOG(log_debug) __SM_LOG(log_error) __SM_LOG(log_fault)
#undef __SM_LOG
};
constexpr os_log os_log_default;
} // namespace metal
