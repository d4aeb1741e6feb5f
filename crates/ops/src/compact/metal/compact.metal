// Compaction by blocks of BLOCK elements of the mask: how many each selects, how many those before it do,
// and then its rows. TYPE are whole numbers of the size of the elements.
struct Params {
  uint leads[BUFFERS];
  uint length, blocks, width, room;
  int mask_step, x_row, x_step, out_row, out_step;
};

#define THREADS 256
#define EACH 4
#define BLOCK 1024

// What all threads before this one hold; `parts` has what all hold at its end.
inline uint before(uint own, threadgroup uint *parts, uint member) {
  parts[member] = own;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint apart = 1; apart < THREADS; apart *= 2) {
    uint other = member >= apart ? parts[member - apart] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    parts[member] += other;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  return parts[member] - own;
}

#ifdef BLOCKS
// Without rows the mask takes their place, which may start at any byte.
#ifdef PLACES
#define ROW uchar
#else
#define ROW TYPE
#endif

inline uint selected(device const uchar *mask, uint first, constant Params &p) {
  uint count = 0;
  for (uint i = first; i < min(first + EACH, p.length); i++) count += mask[long(i) * p.mask_step] != 0;
  return count;
}

kernel void compact_counts(device const uchar *mask [[buffer(0)]], device uint *counts [[buffer(1)]],
                           constant Params &p [[buffer(2)]],
                           uint3 group [[threadgroup_position_in_grid]],
                           uint3 member [[thread_position_in_threadgroup]]) {
  threadgroup uint parts[THREADS];
  before(selected(mask + p.leads[0], group.x * BLOCK + member.x * EACH, p), parts, member.x);
  if (member.x == 0) counts[group.x] = parts[THREADS - 1];
}

kernel void compact_rows(device const uchar *mask [[buffer(0)]], device const uint *counts [[buffer(1)]],
                         device const ROW *x [[buffer(2)]], device TYPE *out [[buffer(3)]],
                         constant Params &p [[buffer(4)]],
                         uint3 group [[threadgroup_position_in_grid]],
                         uint3 member [[thread_position_in_threadgroup]]) {
  threadgroup uint parts[THREADS];
  mask += p.leads[0];
  uint first = group.x * BLOCK + member.x * EACH;
  uint row = before(selected(mask, first, p), parts, member.x);
  row += counts[group.x];
  for (uint i = first; i < min(first + EACH, p.length); i++) {
    if (mask[long(i) * p.mask_step] == 0) continue;
    if (row >= p.room) return;
    device TYPE *to = out + p.leads[3] + long(row++) * p.out_row;
#ifdef PLACES
    *to = TYPE(i);
#else
    device const ROW *from = x + p.leads[2] + long(i) * p.x_row;
    for (uint j = 0; j < p.width; j++) to[long(j) * p.out_step] = from[long(j) * p.x_step];
#endif
  }
}
#else
// The counts of blocks become how many come before each.
kernel void compact_starts(device uint *counts [[buffer(0)]], constant Params &p [[buffer(1)]],
                           uint3 member [[thread_position_in_threadgroup]]) {
  threadgroup uint parts[THREADS];
  uint total = 0;
  for (uint first = 0; first < p.blocks; first += THREADS) {
    uint i = first + member.x;
    uint start = before(i < p.blocks ? counts[i] : 0, parts, member.x);
    if (i < p.blocks) counts[i] = total + start;
    total += parts[THREADS - 1];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
#endif
