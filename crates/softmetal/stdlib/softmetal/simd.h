// <metal_simdgroup> and <metal_quadgroup>. Every lane leaves its value in the group's
// exchange table, all meet, and each picks up what the operation gives it.
namespace metal {
struct __sm_met {
  __sm_exchange *x;
  uint active, lane;
  template <class T> __sm_inline T at(uint l) const { return *(const T *)x->value[l & 31]; }
};
template <class T> __sm_inline __sm_met __sm_publish(T v, uint kind) {
  static_assert(sizeof(T) <= 32, "SIMD-group functions take scalars and vectors");
  __sm_thread_state *s = __sm_self();
  __sm_simd *g = s->simd;
  __sm_exchange *x = &g->slot[g->turn & 1];
  *(T *)x->value[s->lane] = v;
  __sm_meet(kind, 0);
  return __sm_met{x, g->active, s->lane};
}
// The first lane to come back computes for all; `ready` is cleared by the executor.
template <class T, class F> __sm_inline T __sm_reduce(T v, F f) {
  __sm_met m = __sm_publish(v, __SM_MEET_SIMD);
  if (!m.x->ready) {
    uint left = m.active;
    T r = m.at<T>(__builtin_ctz(left));
    for (left &= left - 1; left; left &= left - 1) r = f(r, m.at<T>(__builtin_ctz(left)));
    *(T *)m.x->result = r;
    m.x->ready = 1;
  }
  return *(const T *)m.x->result;
}
template <class T, class F> __sm_inline T __sm_prefix(T v, T start, bool inclusive, F f) {
  __sm_met m = __sm_publish(v, __SM_MEET_SIMD);
  T r = start;
  uint below = m.active & ((1u << m.lane) - 1);
  for (; below; below &= below - 1) r = f(r, m.at<T>(__builtin_ctz(below)));
  if (inclusive) r = f(r, v);
  return r;
}
template <class T, class F> __sm_inline T __sm_quad_reduce(T v, F f) {
  __sm_met m = __sm_publish(v, __SM_MEET_SIMD);
  uint left = m.active & (15u << (m.lane & 28u));
  T r = m.at<T>(__builtin_ctz(left));
  for (left &= left - 1; left; left &= left - 1) r = f(r, m.at<T>(__builtin_ctz(left)));
  return r;
}
template <class T, class F> __sm_inline T __sm_quad_prefix(T v, T start, bool inclusive, F f) {
  __sm_met m = __sm_publish(v, __SM_MEET_SIMD);
  T r = start;
  uint below = m.active & ((1u << m.lane) - 1) & (15u << (m.lane & 28u));
  for (; below; below &= below - 1) r = f(r, m.at<T>(__builtin_ctz(below)));
  if (inclusive) r = f(r, v);
  return r;
}
// `flags` tells the executor which lane is read, so that it can report an absent one.
template <class T> __sm_inline T __sm_read_lane(T v, uint from) {
  __sm_thread_state *s = __sm_self();
  __sm_simd *g = s->simd;
  __sm_exchange *x = &g->slot[g->turn & 1];
  *(T *)x->value[s->lane] = v;
  __sm_meet(__SM_MEET_SHUFFLE, from);
  return *(const T *)x->value[from & 31];
}
// Without their own lane in range these give the lane's own value back.
template <class T> __sm_inline T __sm_read_or_own(T v, int from) {
  uint lane = __sm_self()->lane;
  return __sm_read_lane(v, from < 0 || from > 31 ? lane : uint(from));
}
struct __sm_add { template <class T> __sm_inline T operator()(T a, T b) const { return T(a + b); } };
struct __sm_mul { template <class T> __sm_inline T operator()(T a, T b) const { return T(a * b); } };
struct __sm_lo { template <class T> __sm_inline T operator()(T a, T b) const { return min(a, b); } };
struct __sm_hi { template <class T> __sm_inline T operator()(T a, T b) const { return max(a, b); } };
struct __sm_and { template <class T> __sm_inline T operator()(T a, T b) const { return T(a & b); } };
struct __sm_or { template <class T> __sm_inline T operator()(T a, T b) const { return T(a | b); } };
struct __sm_xor { template <class T> __sm_inline T operator()(T a, T b) const { return T(a ^ b); } };

template <class T> using __sm_if_lane = enable_if_t<__is_valid_simdgroup_type<T>::value, int>;
template <class T> using __sm_if_lane_int =
    enable_if_t<__is_valid_simdgroup_type<T>::value && __sm_int<vec_element_t<T>>::value, int>;
#define __SM_GROUP(G, REDUCE, PREFIX) \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_sum(T v) { return REDUCE(v, __sm_add()); } \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_product(T v) { return REDUCE(v, __sm_mul()); } \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_min(T v) { return REDUCE(v, __sm_lo()); } \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_max(T v) { return REDUCE(v, __sm_hi()); } \
  template <class T, __sm_if_lane_int<T> = 0> __sm_inline T G##_and(T v) { return REDUCE(v, __sm_and()); } \
  template <class T, __sm_if_lane_int<T> = 0> __sm_inline T G##_or(T v) { return REDUCE(v, __sm_or()); } \
  template <class T, __sm_if_lane_int<T> = 0> __sm_inline T G##_xor(T v) { return REDUCE(v, __sm_xor()); } \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_prefix_inclusive_sum(T v) { return PREFIX(v, T(0), true, __sm_add()); } \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_prefix_exclusive_sum(T v) { return PREFIX(v, T(0), false, __sm_add()); } \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_prefix_inclusive_product(T v) { return PREFIX(v, T(1), true, __sm_mul()); } \
  template <class T, __sm_if_lane<T> = 0> __sm_inline T G##_prefix_exclusive_product(T v) { return PREFIX(v, T(1), false, __sm_mul()); } \
  __sm_inline bool G##_all(bool v) { return bool(REDUCE(uint(v), __sm_and())); } \
  __sm_inline bool G##_any(bool v) { return bool(REDUCE(uint(v), __sm_or())); }
__SM_GROUP(simd, __sm_reduce, __sm_prefix)
__SM_GROUP(quad, __sm_quad_reduce, __sm_quad_prefix)
#undef __SM_GROUP

template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle(T v, ushort lane) { return __sm_read_lane(v, lane); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_broadcast(T v, ushort lane) { return __sm_read_lane(v, lane); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle_xor(T v, ushort mask) { return __sm_read_lane(v, __sm_self()->lane ^ mask); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle_up(T v, ushort d) { return __sm_read_or_own(v, int(__sm_self()->lane) - int(d)); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle_down(T v, ushort d) { return __sm_read_or_own(v, int(__sm_self()->lane) + int(d)); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle_rotate_up(T v, ushort d) { return __sm_read_lane(v, (__sm_self()->lane - d) & 31); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle_rotate_down(T v, ushort d) { return __sm_read_lane(v, (__sm_self()->lane + d) & 31); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle_and_fill_up(T v, T fill, ushort d, ushort modulo = 32) {
  int lane = __sm_self()->lane, first = lane - lane % modulo, from = lane - int(d);
  T fetched = __sm_read_or_own(v, from);
  T filler = __sm_read_or_own(fill, from < first ? from + int(modulo) : lane);
  return from < first ? filler : fetched;
}
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_shuffle_and_fill_down(T v, T fill, ushort d, ushort modulo = 32) {
  int lane = __sm_self()->lane, end = lane - lane % modulo + modulo, from = lane + int(d);
  T fetched = __sm_read_or_own(v, from);
  T filler = __sm_read_or_own(fill, from >= end ? from - int(modulo) : lane);
  return from >= end ? filler : fetched;
}
template <class T, __sm_if_lane<T> = 0> __sm_inline T simd_broadcast_first(T v) {
  __sm_met m = __sm_publish(v, __SM_MEET_SIMD);
  return m.at<T>(__builtin_ctz(m.active));
}
__sm_inline bool simd_is_first() {
  __sm_met m = __sm_publish(0u, __SM_MEET_SIMD);
  return m.lane == uint(__builtin_ctz(m.active));
}
__sm_inline bool simd_is_helper_thread() { return false; }

template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_shuffle(T v, ushort lane) { return __sm_read_lane(v, (__sm_self()->lane & 28u) | (lane & 3u)); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_broadcast(T v, ushort lane) { return quad_shuffle(v, lane); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_shuffle_xor(T v, ushort mask) { return __sm_read_lane(v, __sm_self()->lane ^ (mask & 3u)); }
template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_shuffle_up(T v, ushort d) {
  uint lane = __sm_self()->lane;
  return __sm_read_lane(v, (lane & 3u) < d ? lane : lane - d);
}
template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_shuffle_down(T v, ushort d) {
  uint lane = __sm_self()->lane;
  return __sm_read_lane(v, (lane & 3u) + d > 3 ? lane : lane + d);
}
template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_shuffle_rotate_up(T v, ushort d) {
  uint lane = __sm_self()->lane;
  return __sm_read_lane(v, (lane & 28u) | ((lane - d) & 3u));
}
template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_shuffle_rotate_down(T v, ushort d) {
  uint lane = __sm_self()->lane;
  return __sm_read_lane(v, (lane & 28u) | ((lane + d) & 3u));
}
template <class T, __sm_if_lane<T> = 0> __sm_inline T quad_broadcast_first(T v) {
  __sm_met m = __sm_publish(v, __SM_MEET_SIMD);
  return m.at<T>(__builtin_ctz(m.active & (15u << (m.lane & 28u))));
}
__sm_inline bool quad_is_first() {
  __sm_met m = __sm_publish(0u, __SM_MEET_SIMD);
  return m.lane == uint(__builtin_ctz(m.active & (15u << (m.lane & 28u))));
}

class simd_vote {
public:
  typedef ulong vote_t;
  explicit constexpr simd_vote(vote_t v = 0) : bits(v) {}
  constexpr explicit operator vote_t() const { return bits; }
  bool all() const { return bits == 0xffffffffu; }
  bool any() const { return bits != 0; }
private:
  vote_t bits;
};
typedef simd_vote quad_vote;
__sm_inline uint __sm_ballot(bool b, uint within) {
  __sm_met m = __sm_publish(uint(b), __SM_MEET_SIMD);
  uint r = 0;
  for (uint left = m.active & within; left; left &= left - 1) {
    uint l = __builtin_ctz(left);
    r |= (m.at<uint>(l) & 1u) << l;
  }
  return r;
}
__sm_inline simd_vote simd_ballot(bool b) { return simd_vote(__sm_ballot(b, ~0u)); }
__sm_inline simd_vote simd_active_threads_mask() { return simd_vote(__sm_ballot(true, ~0u)); }
__sm_inline quad_vote quad_ballot(bool b) {
  uint base = __sm_self()->lane & 28u;
  return quad_vote((__sm_ballot(b, 15u << base) >> base) & 15u);
}
__sm_inline quad_vote quad_active_threads_mask() { return quad_ballot(true); }
} // namespace metal
