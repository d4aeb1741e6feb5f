// Scans of rows by blocks of BLOCK elements: the total of each block, what comes before each, and then
// every element. X and OUT are the types of the views, TOTAL what is accumulated, NEUTRAL what changes
// nothing, and BOTH(a, b) puts two together.
struct Params {
  uint leads[BUFFERS];
  uint width, blocks, initial;
  int x_step, out_step;
  Rows<2> lines;
};

#define THREADS 256
#define EACH 4
#define BLOCK 1024

inline TOTAL total_of(float x) { return TOTAL(x); }
inline TOTAL total_of(half x) { return TOTAL(float(x)); }
inline TOTAL total_of(bf16 x) { return TOTAL(to_float(x)); }
inline TOTAL total_of(int x) { return TOTAL(x); }
inline TOTAL total_of(uint x) { return TOTAL(x); }
inline TOTAL total_of(long x) { return TOTAL(x); }
inline TOTAL total_of(ulong x) { return TOTAL(x); }

inline float nan_min(float a, float b) { return isnan(a) || a < b ? a : b; }
inline float nan_max(float a, float b) { return isnan(a) || a > b ? a : b; }

// What all threads before this one hold, put together; `parts` has what all hold at its end.
inline TOTAL before(TOTAL own, threadgroup TOTAL *parts, uint member) {
  parts[member] = own;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint apart = 1; apart < THREADS; apart *= 2) {
    TOTAL other = NEUTRAL;
    if (member >= apart) other = parts[member - apart];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (member >= apart) parts[member] = BOTH(other, parts[member]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  return member == 0 ? TOTAL(NEUTRAL) : parts[member - 1];
}

// The total of each block of a row.
kernel void scan_totals(device const X *x [[buffer(0)]], device OUT *out [[buffer(1)]],
                        device TOTAL *carries [[buffer(2)]], constant Params &p [[buffer(3)]],
                        uint3 group [[threadgroup_position_in_grid]],
                        uint3 member [[thread_position_in_threadgroup]]) {
  threadgroup TOTAL parts[THREADS];
  x += p.leads[0] + row_start(p.lines, 0, group.y);
  TOTAL own = NEUTRAL;
  uint first = group.x * BLOCK + member.x * EACH;
  for (uint i = first; i < min(first + EACH, p.width); i++) {
    own = BOTH(own, total_of(x[long(i) * p.x_step]));
  }
  before(own, parts, member.x);
  if (member.x == THREADS - 1) carries[group.y * p.blocks + group.x] = parts[THREADS - 1];
}

// Totals of the blocks of a row become what comes before each of them.
kernel void scan_carries(device TOTAL *carries [[buffer(0)]], constant Params &p [[buffer(1)]],
                         uint3 group [[threadgroup_position_in_grid]],
                         uint3 member [[thread_position_in_threadgroup]]) {
  threadgroup TOTAL parts[THREADS];
  carries += group.x * p.blocks;
  TOTAL carry = NEUTRAL;
  for (uint first = 0; first < p.blocks; first += THREADS) {
    uint i = first + member.x;
    TOTAL own = i < p.blocks ? carries[i] : TOTAL(NEUTRAL);
    TOTAL start = BOTH(carry, before(own, parts, member.x));
    carry = BOTH(carry, parts[THREADS - 1]);
    if (i < p.blocks) carries[i] = start;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

// Every element of a block.
kernel void scan_block(device const X *x [[buffer(0)]], device OUT *out [[buffer(1)]],
                       device const TOTAL *carries [[buffer(2)]], constant Params &p [[buffer(3)]],
                       uint3 group [[threadgroup_position_in_grid]],
                       uint3 member [[thread_position_in_threadgroup]]) {
  threadgroup TOTAL parts[THREADS];
  x += p.leads[0] + row_start(p.lines, 0, group.y);
  out += p.leads[1] + row_start(p.lines, 1, group.y);
  TOTAL all[EACH];
  TOTAL own = NEUTRAL;
  uint first = group.x * BLOCK + member.x * EACH;
  for (uint i = 0; i < EACH; i++) {
    if (first + i < p.width) own = BOTH(own, total_of(x[long(first + i) * p.x_step]));
    all[i] = own;
  }
  TOTAL start = before(own, parts, member.x);
  if (p.blocks > 1) start = BOTH(carries[group.y * p.blocks + group.x], start);
  if (p.initial && first == 0) out[0] = AS_OUT(TOTAL(NEUTRAL));
  for (uint i = 0; i < EACH && first + i < p.width; i++) {
    out[long(first + i + p.initial) * p.out_step] = AS_OUT(BOTH(start, all[i]));
  }
}
