// What all kernels share: element types, where rows lie, sums over a threadgroup.
#include <metal_stdlib>
using namespace metal;

// bfloat16 by its bits, so that GPUs that lack the type have it too.
struct bf16 {
  ushort bits;
};

inline float to_float(float x) { return x; }
inline float to_float(half x) { return float(x); }
inline float to_float(bf16 x) { return as_type<float>(uint(x.bits) << 16); }

template <typename T> inline T from_float(float x) { return T(x); }
template <> inline bf16 from_float<bf16>(float x) {
  uint bits = as_type<uint>(x);
  bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  // To nearest, ties to even; a NaN stays one.
  uint rounded = nan ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u);
  return bf16{ushort(rounded >> 16)};
}

// Four neighbours; rows may start at any element, so vectors are packed.
template <typename T> inline float4 four(device const T *x) {
  return float4(to_float(x[0]), to_float(x[1]), to_float(x[2]), to_float(x[3]));
}
inline float4 four(device const float *x) { return float4(*(device const packed_float4 *)x); }
inline float4 four(device const half *x) { return float4(half4(*(device const packed_half4 *)x)); }

// How many elements a pointer of this type steps over: more than one for blocks.
template <typename T> struct LengthOf { enum { COUNT = 1 }; };
#define LENGTH_OF(T) uint(LengthOf<T>::COUNT)

// Where the rows of several views start: sizes and strides of the dimensions before the row.
template <int VIEWS> struct Rows {
  uint rank;
  uint sizes[8];
  int strides[VIEWS][8];
};

template <int VIEWS> inline long row_start(constant Rows<VIEWS> &rows, int view, uint row) {
  long at = 0;
  for (int axis = int(rows.rank) - 1; axis > 0; axis--) {
    at += long(row % rows.sizes[axis]) * rows.strides[view][axis];
    row /= rows.sizes[axis];
  }
  return at + long(row) * rows.strides[view][0];
}

// For kernels whose threadgroups have more than 256 threads: the compiler leaves them registers
// enough. `threads_for` asks for no more than this.
#define MOST_THREADS [[max_total_threads_per_threadgroup(512)]]

// What a thread knows of its threadgroup, which has one dimension of whole simdgroups.
struct Team {
  uint index, threads, lane, simdgroup, simdgroups;
};

#define TEAM_ARGUMENTS                                                                             \
  uint team_thread [[thread_index_in_threadgroup]], uint team_lane [[thread_index_in_simdgroup]],  \
      uint team_simdgroup [[simdgroup_index_in_threadgroup]],                                      \
      uint3 team_threads [[threads_per_threadgroup]]
#define TEAM                                                                                       \
  Team { team_thread, team_threads.x, team_lane, team_simdgroup, team_threads.x / 32 }

struct Add {
  static float none() { return 0; }
  static float of(float a, float b) { return a + b; }
  static float simd(float x) { return simd_sum(x); }
};
// The larger one; of a number and NaN the number.
struct Most {
  static float none() { return -INFINITY; }
  static float of(float a, float b) { return max(a, b); }
  static float simd(float x) { return simd_max(x); }
};

// One number of all threads of the group. `parts` has room for one per thread where simdgroups
// can't add, for one per simdgroup where they can.
template <typename By> inline float of_group(float x, threadgroup float *parts, Team team) {
  // Others may still read the last result.
  threadgroup_barrier(mem_flags::mem_threadgroup);
#ifdef NO_SIMD
  parts[team.index] = x;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint left = team.threads; left > 1; left = (left + 1) / 2) {
    if (team.index < left / 2) {
      parts[team.index] = By::of(parts[team.index], parts[team.index + (left + 1) / 2]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  return parts[0];
#else
  x = By::simd(x);
  if (team.simdgroups == 1) return x;
  if (team.lane == 0) parts[team.simdgroup] = x;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return By::simd(team.lane < team.simdgroups ? parts[team.lane] : By::none());
#endif
}
#ifdef NO_SIMD
#define GROUP_PARTS 1024
#else
#define GROUP_PARTS 32
#endif
