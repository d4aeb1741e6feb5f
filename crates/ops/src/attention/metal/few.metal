// Few rows: each threadgroup takes HEADS heads of queries that share a head of the cache, and one of
// `splits` parts of the keys that its row sees. WORKERS simdgroups take keys in turn, each with a
// softmax of its own so far; lanes have ELEMENTS elements of a head each. What they found meets at
// the end, and, where there are several parts, in `attention_join`. Q and OUT are the types of the
// views. If it is PAGED, each row has keys in pages of its text.
#ifdef NO_SIMD
#define LANES 1
#define LANE_SUM(x) (x)
#else
#define LANES 32
#define LANE_SUM(x) simd_sum(x)
#endif
// Elements of a head, with those that lanes have too many.
#define PADDED (ELEMENTS * LANES)

// The lane's elements of a row.
template <typename T> inline void take(device const T *row, uint first, uint size, thread float *to) {
  if (ELEMENTS % 4 == 0) {
    for (uint i = 0; i < ELEMENTS; i += 4) {
      float4 of = four_cached(row, first + i, size);
      for (uint j = 0; j < 4; j++) to[i + j] = of[j];
    }
  } else {
    for (uint i = 0; i < ELEMENTS; i++) to[i] = first + i < size ? cached(row, first + i) : 0;
  }
}

kernel void attention_few(device const Q *q [[buffer(0)]], device const CACHE *k [[buffer(1)]],
                          device const CACHE *v [[buffer(2)]],
                          device const POSITION *positions [[buffer(3)]],
                          device OUT *out [[buffer(4)]],
#ifdef SPLIT
                          device float *parts [[buffer(5)]],
#endif
#ifdef PAGED
                          device const uint *table [[buffer(TABLE_AT)]],
                          device const uint *texts [[buffer(TEXTS_AT)]],
#endif
                          constant Params &p [[buffer(BUFFERS)]],
                          uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup float values[WORKERS][PADDED];
  threadgroup float most[WORKERS], sums[WORKERS];
  Team team = TEAM;
#ifdef NO_SIMD
  uint worker = team.index, lane = 0;
#else
  uint worker = team.simdgroup, lane = team.lane;
#endif
  uint split = group.x, row = group.z, shared_by = p.heads / p.kv_heads;
  // Heads of one head of the cache are taken HEADS at a time.
  uint pieces = (shared_by + HEADS - 1) / HEADS;
  uint kv_head = group.y / pieces, first_head = kv_head * shared_by + group.y % pieces * HEADS;
  uint heads = min(uint(HEADS), (kv_head + 1) * shared_by - first_head);

  Seen seen = seen_by(positions, row, p);
#ifdef PAGED
  uint text = texts[p.leads[TEXTS_AT] + long(row) * p.text_step];
  if (text >= p.texts) seen = Seen{0, 0};
  table += p.leads[TABLE_AT] + long(text) * p.table_text;
#endif
  uint part = (seen.end - seen.first + p.splits - 1) / p.splits;
  uint from = min(seen.first + split * part, seen.end), to = min(from + part, seen.end);

  uint first = lane * ELEMENTS;
  float query[HEADS][ELEMENTS], found[HEADS][ELEMENTS], top[HEADS], sum[HEADS];
  for (uint h = 0; h < HEADS; h++) {
    device const Q *of = q + p.leads[0] + long(row) * p.q_row;
    of += long(first_head + min(h, heads - 1)) * p.q_head;
    for (uint i = 0; i < ELEMENTS; i++) {
      query[h][i] = first + i < p.size ? to_float(of[long(first + i) * p.q_step]) * p.scale : 0;
      found[h][i] = 0;
    }
    top[h] = -INFINITY;
    sum[h] = 0;
  }
  k += p.leads[1] / LENGTH_OF(CACHE) + long(kv_head) * p.k_head;
  v += p.leads[2] / LENGTH_OF(CACHE) + long(kv_head) * p.v_head;
  for (uint token = from + worker; token < to; token += WORKERS) {
    float key[ELEMENTS], value[ELEMENTS];
#ifdef PAGED
    uint slot = slot_of(table, token, p);
#else
    uint slot = token;
#endif
    take(k + long(slot) * p.k_token, first, p.size, key);
    take(v + long(slot) * p.v_token, first, p.size, value);
    for (uint h = 0; h < HEADS; h++) {
      float score = 0;
      for (uint i = 0; i < ELEMENTS; i++) score = fma(query[h][i], key[i], score);
      score = capped(LANE_SUM(score), p);
      float above = max(top[h], score);
      float before = relative(top[h], above), weight = relative(score, above);
      top[h] = above;
      sum[h] = fma(sum[h], before, weight);
      for (uint i = 0; i < ELEMENTS; i++) found[h][i] = fma(found[h][i], before, weight * value[i]);
    }
  }

  for (uint h = 0; h < heads; h++) {
    for (uint i = 0; i < ELEMENTS; i++) values[worker][first + i] = found[h][i];
    if (lane == 0) {
      most[worker] = top[h];
      sums[worker] = sum[h];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float above = -INFINITY, total = 0;
    for (uint w = 0; w < WORKERS; w++) above = max(above, most[w]);
    for (uint w = 0; w < WORKERS; w++) total = fma(sums[w], relative(most[w], above), total);
    uint head = first_head + h;
    for (uint i = team.index; i < p.size; i += team.threads) {
      float value = 0;
      for (uint w = 0; w < WORKERS; w++) value = fma(values[w][i], relative(most[w], above), value);
#ifdef SPLIT
      device float *place = parts + (ulong(row * p.heads + head) * p.splits + split) * (p.size + 2);
      place[2 + i] = value;
      if (i == 0) {
        place[0] = above;
        place[1] = total;
      }
#else
      value = seen.first < seen.end ? value / total : 0;
      long place = p.leads[4] + long(row) * p.out_row + long(head) * p.out_head;
      out[place + long(i) * p.out_step] = from_float<OUT>(value);
#endif
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
