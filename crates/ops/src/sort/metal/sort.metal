// Sorting rows. Elements are told apart by KEY, a whole number that says how large they are, and then by
// where they come from: no two are equal, so the order is stable. X is the type of the elements and OUT
// that of what is written.
//
// Runs of 2, 4, 8 … elements are merged by comparing the first of two runs with the last, and then
// elements ever nearer to each other. Up to BLOCK elements a threadgroup does that by itself. Rows
// need not be powers of two: what lies behind them would be larger than anything else, and stay there.
struct Params {
  uint leads[4];
  uint width, descending, sorted, last;
  int x_step, out_step;
  Rows<2> lines;
};
struct Step {
  uint leads[2];
  uint width, run, apart;
};

inline uint size_of_bits(float x) {
  uint bits = as_type<uint>(x);
  if ((bits & 0x7fffffffu) == 0) return 0x80000000u;
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
inline uint size_of(float x) { return size_of_bits(x); }
inline uint size_of(half x) { return size_of_bits(float(x)); }
inline uint size_of(bf16 x) { return size_of_bits(to_float(x)); }
inline uint size_of(int x) { return uint(x) ^ 0x80000000u; }
inline uint size_of(uint x) { return x; }
inline ulong size_of(long x) { return ulong(x) ^ 0x8000000000000000ul; }
inline ulong size_of(ulong x) { return x; }
inline uint size_of(char x) { return size_of(int(x)); }
inline uint size_of(short x) { return size_of(int(x)); }
inline uint size_of(uchar x) { return x; }
inline uint size_of(ushort x) { return x; }
inline bool not_a_number(uint bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }
template <typename T> inline bool is_nan(T) { return false; }
inline bool is_nan(float x) { return not_a_number(as_type<uint>(x)); }
inline bool is_nan(half x) { return not_a_number(as_type<uint>(float(x))); }
inline bool is_nan(bf16 x) { return not_a_number(uint(x.bits) << 16); }

inline KEY key_of(X x, bool descending) {
  KEY key = size_of(x);
  if (descending) key = ~key;
  return is_nan(x) ? ~KEY(0) : key;
}

#define BLOCK 1024

// Puts two in order.
inline void exchange(threadgroup KEY *keys, threadgroup uint *places, uint a, uint b) {
  KEY first = keys[a], second = keys[b];
  uint one = places[a], other = places[b];
  if (first > second || (first == second && one > other)) {
    keys[a] = second;
    keys[b] = first;
    places[a] = other;
    places[b] = one;
  }
}

// A threadgroup per block of a row: sorts it, or, if it consists of one sorted run that rises and falls,
// merges that.
kernel void sort_block(device const X *x [[buffer(0)]], device OUT *out [[buffer(1)]],
                       device KEY *kept [[buffer(2)]], device uint *kept_places [[buffer(3)]],
                       constant Params &p [[buffer(4)]],
                       uint3 group [[threadgroup_position_in_grid]],
                       uint3 member [[thread_position_in_threadgroup]],
                       uint3 threads [[threads_per_threadgroup]]) {
  threadgroup KEY keys[BLOCK];
  threadgroup uint places[BLOCK];
  uint row = group.y, start = group.x * BLOCK;
  x += p.leads[0] + row_start(p.lines, 0, row);
  out += p.leads[1] + row_start(p.lines, 1, row);
  kept += long(row) * p.width;
  kept_places += long(row) * p.width;
  for (uint i = member.x; i < BLOCK; i += threads.x) {
    uint at = start + i;
    if (at >= p.width) {
      keys[i] = ~KEY(0);
      places[i] = ~0u;
    } else if (p.sorted) {
      keys[i] = kept[at];
      places[i] = kept_places[at];
    } else {
      keys[i] = key_of(x[long(at) * p.x_step], p.descending);
      places[i] = at;
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint run = p.sorted ? BLOCK : 2; run <= BLOCK; run *= 2) {
    if (!p.sorted) {
      for (uint i = member.x; i < BLOCK / 2; i += threads.x) {
        uint first = i / (run / 2) * run, in_run = i % (run / 2);
        exchange(keys, places, first + in_run, first + run - 1 - in_run);
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint apart = p.sorted ? run / 2 : run / 4; apart > 0; apart /= 2) {
      for (uint i = member.x; i < BLOCK / 2; i += threads.x) {
        uint a = i / apart * 2 * apart + i % apart;
        exchange(keys, places, a, a + apart);
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
  for (uint i = member.x; i < BLOCK && start + i < p.width; i += threads.x) {
    uint at = start + i;
    if (!p.last) {
      kept[at] = keys[i];
      kept_places[at] = places[i];
      continue;
    }
    uint place = places[i];
#ifdef INDICES
    out[long(at) * p.out_step] = OUT(place);
#else
    out[long(at) * p.out_step] = ((device const OUT *)x)[long(place) * p.x_step];
#endif
  }
}

// A member per pair of elements that are further apart than a block.
kernel void sort_step(device KEY *kept [[buffer(0)]], device uint *kept_places [[buffer(1)]],
                      constant Step &p [[buffer(2)]], uint3 at [[thread_position_in_grid]]) {
  kept += long(at.y) * p.width;
  kept_places += long(at.y) * p.width;
  // The first comparison of a run of p.run elements, or one of elements p.apart from each other.
  uint half_run = p.run / 2;
  uint a, b;
  if (p.apart == 0) {
    uint first = at.x / half_run * p.run, in_run = at.x % half_run;
    a = first + in_run;
    b = first + p.run - 1 - in_run;
  } else {
    a = at.x / p.apart * 2 * p.apart + at.x % p.apart;
    b = a + p.apart;
  }
  if (b >= p.width) return;
  KEY first = kept[a], second = kept[b];
  uint one = kept_places[a], other = kept_places[b];
  if (first > second || (first == second && one > other)) {
    kept[a] = second;
    kept[b] = first;
    kept_places[a] = other;
    kept_places[b] = one;
  }
}
