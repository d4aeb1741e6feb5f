// What kernels and the executor share. The Rust twin of these structs is src/exec/abi.rs.
struct __sm_exchange { // the meeting table of one SIMD-group, for one operation
  alignas(32) char value[32][32];
  alignas(32) char result[32];
  alignas(64) float a[64];
  float b[64];
  float c[64];
  uint ready;
  uint pad[15];
};
struct __sm_simd {
  __sm_exchange slot[2];
  uint turn;   // counts completed operations: its low bit picks the slot
  uint active; // lanes that took part in the operation just completed
};
struct __sm_thread_state;
struct __sm_runtime {
  ulong meet, log, access, misaligned, stray, undefined; // functions; OpenCL has no pointers to them in structs
};
typedef void (*__sm_meet_fn)(__sm_thread_state *);
typedef void (*__sm_log_fn)(__sm_thread_state *, const char *, const ulong *, uint);
typedef void (*__sm_access_fn)(ulong address, ulong size, uint kind, void *pc);
typedef void (*__sm_misaligned_fn)(ulong address, uint align, uint line, const char *file);
typedef void (*__sm_undefined_fn)(uint what, ulong value, const void *of, const void *to, void *pc);
struct __sm_call { // one dispatch, as one worker sees it
  char *buffers[31];
  char *threadgroup[31];
  char *shared;           // this worker's threadgroup memory
  const uint *shared_at;  // slot of a threadgroup variable -> its offset in `shared`
  uint grid[3], tpg[3], groups[3];
  uint pad;
  const __sm_runtime *rt;
};
// What the checker has settled about one place in the code; src/check/sites.rs explains it.
struct __sm_site {
  ulong pc, next, stride, left, low, span, map;
  uint thread, step;
};
struct __sm_thread_state { // sits at the top of each coroutine's stack
  const __sm_call *call;
  __sm_simd *simd;
  void *site;
  uint kind, flags;
  uint position[3], size[3], lid[3];
  uint index, lane, alive;
  uint number;      // counted through the whole grid
  __sm_site *sites; // of this worker, by the address of the code
  uchar *private_map; // one byte for eight of the stack: which are no variable's
  void *yielder;    // the executor's way back
};
enum { __SM_STACK = 262144, __SM_SITES = 512 };
enum { __SM_MEET_BARRIER = 0, __SM_MEET_SIMD_BARRIER = 1, __SM_MEET_SIMD = 2, __SM_MEET_SHUFFLE = 3, __SM_MEET_MATRIX = 4 };

__sm_inline __sm_thread_state *__sm_self() {
  ulong top = (ulong(__builtin_frame_address(0)) & ~ulong(__SM_STACK - 1)) + __SM_STACK;
  return (__sm_thread_state *)(top - sizeof(__sm_thread_state));
}
// Not inlined, so that the return address names the place in the kernel.
__sm_outline inline void __sm_meet(uint kind, uint flags) {
  __sm_thread_state *s = __sm_self();
  s->site = __builtin_return_address(0);
  s->kind = kind;
  s->flags = flags;
  ((__sm_meet_fn)s->call->rt->meet)(s);
}

namespace metal {
enum class mem_flags : uint {
  mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4,
  mem_threadgroup_imageblock = 8, mem_object_data = 16, mem_device_and_threadgroup = 3
};
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(uint(a) | uint(b)); }
constexpr mem_flags operator&(mem_flags a, mem_flags b) { return mem_flags(uint(a) & uint(b)); }
enum memory_order { memory_order_relaxed = 0, memory_order_acquire = 2, memory_order_release = 3, memory_order_acq_rel = 4, memory_order_seq_cst = 5 };
enum thread_scope { thread_scope_thread, thread_scope_simdgroup, thread_scope_threadgroup, thread_scope_device };
__sm_inline void threadgroup_barrier(mem_flags f) { __sm_meet(__SM_MEET_BARRIER, uint(f)); }
__sm_inline void threadgroup_barrier(mem_flags f, memory_order) { __sm_meet(__SM_MEET_BARRIER, uint(f)); }
__sm_inline void threadgroup_barrier(mem_flags f, memory_order, thread_scope) { __sm_meet(__SM_MEET_BARRIER, uint(f)); }
__sm_inline void simdgroup_barrier(mem_flags f) { __sm_meet(__SM_MEET_SIMD_BARRIER, uint(f)); }
__sm_inline void simdgroup_barrier(mem_flags f, memory_order) { __sm_meet(__SM_MEET_SIMD_BARRIER, uint(f)); }
} // namespace metal
