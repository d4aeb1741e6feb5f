// Many rows: each threadgroup takes QUERIES rows of one head, and walks over the keys that any of
// them sees in tiles of KEYS, with a softmax so far. A simdgroup has eight rows: their sums stay in
// its registers as 8 × 8 matrices. Q and OUT are the types of the views, KEPT is what tiles of the
// cache are kept as, PADDED the elements of a head in whole eights.
#define STRIDE (PADDED + 4)
#define SCORE_STRIDE (KEYS + 4)
#define EIGHTS (PADDED / 8)
#define STRIPS (KEYS / 8)

// Four elements at a time of a tile of the cache; rows beyond what is seen are zeros.
inline void keep(device const CACHE *rows, int token_step, uint first, uint end, uint size,
                 threadgroup KEPT *tile, Team team) {
  for (uint i = team.index; i < KEYS * (PADDED / 4); i += team.threads) {
    uint token = first + i / (PADDED / 4), element = i % (PADDED / 4) * 4;
    float4 of = token < end ? four_cached(rows + long(token) * token_step, element, size) : 0;
    for (uint j = 0; j < 4; j++) tile[i / (PADDED / 4) * STRIDE + element + j] = KEPT(of[j]);
  }
}

kernel void attention_many(device const Q *q [[buffer(0)]], device const CACHE *k [[buffer(1)]],
                           device const CACHE *v [[buffer(2)]],
                           device const POSITION *positions [[buffer(3)]],
                           device OUT *out [[buffer(4)]], constant Params &p [[buffer(BUFFERS)]],
                           uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup float queries[QUERIES * STRIDE];
  threadgroup KEPT tile[KEYS * STRIDE];
  threadgroup float scores[QUERIES * SCORE_STRIDE];
  threadgroup float diagonals[QUERIES / 8 * 64];
  threadgroup uint firsts[QUERIES], ends[QUERIES];
  Team team = TEAM;
  uint first_row = group.x * QUERIES, head = group.y, kv_head = head / (p.heads / p.kv_heads);
  for (uint i = team.index; i < QUERIES; i += team.threads) {
    // Rows beyond the last see nothing.
    Seen seen = {0, 0};
    if (first_row + i < p.rows) seen = seen_by(positions, first_row + i, p);
    firsts[i] = seen.first;
    ends[i] = seen.end;
  }
  q += p.leads[0] + long(head) * p.q_head;
  for (uint i = team.index; i < QUERIES * PADDED; i += team.threads) {
    uint row = first_row + i / PADDED, element = i % PADDED;
    float value = 0;
    if (row < p.rows && element < p.size) {
      value = to_float(q[long(row) * p.q_row + long(element) * p.q_step]) * p.scale;
    }
    queries[i / PADDED * STRIDE + element] = value;
  }
  threadgroup float *diagonal = diagonals + team.simdgroup * 64;
  diagonal[team.lane] = 0;
  diagonal[team.lane + 32] = 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint from = p.tokens, to = 0;
  for (uint i = 0; i < QUERIES; i++) {
    if (firsts[i] < ends[i]) {
      from = min(from, firsts[i]);
      to = max(to, ends[i]);
    }
  }
  k += p.leads[1] / LENGTH_OF(CACHE) + long(kv_head) * p.k_head;
  v += p.leads[2] / LENGTH_OF(CACHE) + long(kv_head) * p.v_head;

  // Four lanes for each of the eight rows of a simdgroup.
  uint own_row = team.simdgroup * 8 + team.lane / 4, column = team.lane % 4;
  threadgroup const float *own_queries = queries + team.simdgroup * 8 * STRIDE;
  threadgroup float *own_scores = scores + team.simdgroup * 8 * SCORE_STRIDE;
  uint own_first = firsts[own_row], own_end = ends[own_row];
  float top = -INFINITY, total = 0;
  simdgroup_float8x8 found[EIGHTS];
  for (uint i = 0; i < EIGHTS; i++) found[i] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);

  for (uint first = from; first < to; first += KEYS) {
    keep(k, p.k_token, first, to, p.size, tile, team);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 strip[STRIPS];
    for (uint j = 0; j < STRIPS; j++) strip[j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (uint i = 0; i < EIGHTS; i++) {
      simdgroup_float8x8 a;
      simdgroup_load(a, own_queries + 8 * i, STRIDE);
      for (uint j = 0; j < STRIPS; j++) {
        simdgroup_matrix<KEPT, 8, 8> b;
        simdgroup_load(b, tile + 8 * j * STRIDE + 8 * i, STRIDE, ulong2(0), true);
        simdgroup_multiply_accumulate(strip[j], a, b, strip[j]);
      }
    }
    for (uint j = 0; j < STRIPS; j++) simdgroup_store(strip[j], own_scores + 8 * j, SCORE_STRIDE);
    // All are done with the keys before values take their place.
    threadgroup_barrier(mem_flags::mem_threadgroup);
    keep(v, p.v_token, first, to, p.size, tile, team);

    threadgroup float *line = own_scores + team.lane / 4 * SCORE_STRIDE;
    float above = top;
    for (uint j = column; j < KEYS; j += 4) {
      bool seen = first + j >= own_first && first + j < own_end;
      float score = seen ? capped(line[j], p) : -INFINITY;
      line[j] = score;
      above = max(above, score);
    }
    above = max(above, simd_shuffle_xor(above, 1));
    above = max(above, simd_shuffle_xor(above, 2));
    float before = relative(top, above), sum = 0;
    for (uint j = column; j < KEYS; j += 4) {
      float weight = relative(line[j], above);
      line[j] = weight;
      sum += weight;
    }
    sum += simd_shuffle_xor(sum, 1);
    sum += simd_shuffle_xor(sum, 2);
    total = fma(total, before, sum);
    top = above;
    if (column == 0) diagonal[team.lane / 4 * 9] = before;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    // What was found so far counts less by the same factor along each row.
    simdgroup_float8x8 less;
    simdgroup_load(less, diagonal, 8);
    for (uint i = 0; i < EIGHTS; i++) {
      simdgroup_float8x8 scaled;
      simdgroup_multiply(scaled, less, found[i]);
      found[i] = scaled;
    }
    for (uint j = 0; j < STRIPS; j++) {
      simdgroup_float8x8 a;
      simdgroup_load(a, own_scores + 8 * j, SCORE_STRIDE);
      for (uint i = 0; i < EIGHTS; i++) {
        simdgroup_matrix<KEPT, 8, 8> b;
        simdgroup_load(b, tile + 8 * j * STRIDE + 8 * i, STRIDE);
        simdgroup_multiply_accumulate(found[i], a, b, found[i]);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  // The queries have done their part: results take their place, and lanes write them out.
  threadgroup float *own = queries + team.simdgroup * 8 * STRIDE;
  for (uint i = 0; i < EIGHTS; i++) simdgroup_store(found[i], own + 8 * i, STRIDE);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  uint row = first_row + own_row;
  if (row >= p.rows) return;
  out += p.leads[4] + long(row) * p.out_row + long(head) * p.out_head;
  float share = own_first < own_end ? 1 / total : 0;
  for (uint i = column; i < p.size; i += 4) {
    out[long(i) * p.out_step] = from_float<OUT>(own[team.lane / 4 * STRIDE + i] * share);
  }
}
