// The largest of each row. X and VALUE are the types of the views.
//
// Elements are compared as whole numbers of 64 bits: how large they are, then how early they come.
// NaN is above all, and the zeros are alike.
struct Params {
  uint leads[BUFFERS];
  uint width, k, chunk;
  int x_step, value_step, index_step;
  Rows<3> rows;
};

inline uint size_of(float x) {
  uint bits = as_type<uint>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return ~0u;
  if ((bits & 0x7fffffffu) == 0) return 0x80000000u;
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

inline ulong rank_of(float x, uint index) { return ulong(size_of(x)) << 32 | ~index; }

#define ELEMENT(i) to_float(x[long(i) * p.x_step])
#define PUT(place, at)                                                                             \
  do {                                                                                             \
    uint from = at;                                                                                \
    values[long(place) * p.value_step] = from_float<VALUE>(ELEMENT(from));                         \
    indices[long(place) * p.index_step] = from;                                                    \
  } while (false)
#define ROW_ARGUMENTS                                                                              \
  device const X *x [[buffer(0)]], device VALUE *values [[buffer(1)]],                             \
      device uint *indices [[buffer(2)]]
#define OF_ROW(row)                                                                                \
  x += p.leads[0] + row_start(p.rows, 0, row);                                                                  \
  values += p.leads[1] + row_start(p.rows, 1, row);                                                             \
  indices += p.leads[2] + row_start(p.rows, 2, row)

// Each element finds its own place: for rows that are short, or of which much is asked for.
kernel void top_k_by_rank(ROW_ARGUMENTS, constant Params &p [[buffer(3)]],
                          uint2 at [[thread_position_in_grid]]) {
  if (at.x >= p.width) return;
  OF_ROW(at.y);
  ulong own = rank_of(ELEMENT(at.x), at.x);
  uint place = 0;
  for (uint i = 0; i < p.width; i++) place += rank_of(ELEMENT(i), i) > own;
  if (place < p.k) PUT(place, at.x);
}

// The larger of all that threads hold; `parts` has one place per thread.
inline ulong most_of_group(ulong own, threadgroup ulong *parts, Team team) {
  parts[team.index] = own;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint left = team.threads; left > 1; left = (left + 1) / 2) {
    if (team.index < left / 2) {
      parts[team.index] = max(parts[team.index], parts[team.index + (left + 1) / 2]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  return parts[0];
}

// The largest of each chunk of a row.
kernel void top_1_of_chunk(ROW_ARGUMENTS, device ulong *best [[buffer(3)]],
                           constant Params &p [[buffer(4)]],
                           uint3 group [[threadgroup_position_in_grid]],
                           uint3 groups [[threadgroups_per_grid]], TEAM_ARGUMENTS) {
  threadgroup ulong parts[256];
  Team team = TEAM;
  OF_ROW(group.y);
  ulong own = 0;
  uint first = group.x * p.chunk, end = min(p.width, first + p.chunk);
  for (uint i = first + team.index; i < end; i += team.threads) {
    own = max(own, rank_of(ELEMENT(i), i));
  }
  own = most_of_group(own, parts, team);
  if (team.index == 0) best[group.y * groups.x + group.x] = own;
}

// The largest of the chunks; there are p.k of them.
kernel void top_1_of_chunks(ROW_ARGUMENTS, device const ulong *best [[buffer(3)]],
                            constant Params &p [[buffer(4)]],
                            uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint row = group.x;
  threadgroup ulong parts[256];
  Team team = TEAM;
  OF_ROW(row);
  ulong own = 0;
  for (uint i = team.index; i < p.k; i += team.threads) own = max(own, best[row * p.k + i]);
  own = most_of_group(own, parts, team);
  if (team.index == 0) PUT(0, ~uint(own));
}

// How many of a few a threadgroup can sort.
#define MOST 1024

// A threadgroup per row finds the k-th largest a digit at a time, by counting, then sorts those that
// are not below it.
MOST_THREADS
kernel void top_k_by_digits(ROW_ARGUMENTS, constant Params &p [[buffer(3)]],
                            uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint row = group.x;
  threadgroup atomic_uint counts[256];
  threadgroup uint chosen[3];
  threadgroup atomic_uint found;
  threadgroup ulong kept[MOST];
  Team team = TEAM;
  OF_ROW(row);
  // Those above `floor` in its first digits are in; `left` are wanted of those alike in them.
  ulong floor = 0;
  uint left = p.k;
  for (int shift = 56; shift >= 0; shift -= 8) {
    for (uint i = team.index; i < 256; i += team.threads) {
      atomic_store_explicit(&counts[i], 0, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = team.index; i < p.width; i += team.threads) {
      ulong rank = rank_of(ELEMENT(i), i);
      bool alike = shift == 56 || rank >> (shift + 8) == floor >> (shift + 8);
      if (alike) {
        atomic_fetch_add_explicit(&counts[rank >> shift & 255], 1, memory_order_relaxed);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (team.index == 0) {
      uint above = 0, digit = 255, count = 0;
      for (;; digit--) {
        count = atomic_load_explicit(&counts[digit], memory_order_relaxed);
        if (above + count >= left || digit == 0) break;
        above += count;
      }
      chosen[0] = digit;
      chosen[1] = left - above;
      chosen[2] = count;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    floor |= ulong(chosen[0]) << shift;
    left = chosen[1];
    if (chosen[2] == left) break;
  }
  uint places = 32;
  while (places < p.k) places *= 2;
  for (uint i = team.index; i < places; i += team.threads) kept[i] = 0;
  if (team.index == 0) atomic_store_explicit(&found, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = team.index; i < p.width; i += team.threads) {
    ulong rank = rank_of(ELEMENT(i), i);
    if (rank >= floor) kept[atomic_fetch_add_explicit(&found, 1, memory_order_relaxed)] = rank;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint size = 2; size <= places; size *= 2) {
    for (uint step = size / 2; step > 0; step /= 2) {
      for (uint i = team.index; i < places; i += team.threads) {
        uint other = i ^ step;
        if (other < i) continue;
        ulong a = kept[i], b = kept[other];
        bool falling = (i & size) == 0;
        if (falling ? a < b : a > b) {
          kept[i] = b;
          kept[other] = a;
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
  for (uint i = team.index; i < p.k; i += team.threads) PUT(i, ~uint(kept[i]));
}
