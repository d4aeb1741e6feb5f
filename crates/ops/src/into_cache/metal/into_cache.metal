// One threadgroup per head of queries, keys or values of a row: normed, turned and stored. X (of q,
// k and v), CACHE, NORM and OUT are the types of the views.
struct Params {
  uint leads[11];
  uint rows, heads, kv_heads, size, tokens, pairs, neighbours;
  int q_row, q_head, q_step, k_row, k_head, k_step, v_row, v_head, v_step;
  int out_row, out_head, out_step;
  int keys_head, keys_token, keys_step, values_head, values_token, values_step;
  int position_step, place_step, frequency_step, q_norm_step, k_norm_step;
  float magnitude, epsilon;
};

// The most elements of a head.
#define MOST 2048

#ifdef ENCODED
// A thread per element: each finds the peak of its block by itself, from threadgroup memory.
inline void store(device ushort *cache, int, threadgroup const float *head, uint size, Team team) {
  for (uint i = 2 * team.index; i < size; i += 2 * team.threads) {
    uint block = i / 32, peak = 0;
    for (uint j = 0; j < 32; j++) peak = max(peak, magnitude_bits(head[32 * block + j]));
    Scale8 by = scale_of_8_bits(peak);
    device ushort *to = cache + 17 * block;
    if (i % 32 == 0) to[0] = as_type<ushort>(by.stored);
    uint low = level_of_8_bits(head[i], by.inverse);
    to[1 + i % 32 / 2] = ushort(low | level_of_8_bits(head[i + 1], by.inverse) << 8);
  }
}
#define CACHE_AT(elements) ((elements) / 32 * 17)
#else
inline void store(device CACHE *cache, int step, threadgroup const float *head, uint size, Team team) {
  for (uint i = team.index; i < size; i += team.threads) {
    cache[long(i) * step] = from_float<CACHE>(head[i]);
  }
}
#define CACHE_AT(elements) (elements)
#endif

kernel void into_cache(device const Q *q [[buffer(0)]], device const K *k [[buffer(1)]],
                       device const V *v [[buffer(2)]], device const uint *positions [[buffer(3)]],
                       device const float *frequencies [[buffer(4)]],
                       device const Q_NORM *q_norm [[buffer(5)]],
                       device const K_NORM *k_norm [[buffer(6)]], device OUT *out [[buffer(7)]],
                       device CACHE *keys [[buffer(8)]], device CACHE *values [[buffer(9)]],
                       device const uint *places [[buffer(10)]],
                       constant Params &p [[buffer(11)]],
                       uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup float head[MOST];
  threadgroup float parts[GROUP_PARTS];
  Team team = TEAM;
  positions += p.leads[3];
  frequencies += p.leads[4];
  places += p.leads[10];
  uint row = group.y, number = group.x;
  bool is_q = number < p.heads, is_k = !is_q && number < p.heads + p.kv_heads;
  if (!is_q) number -= p.heads + (is_k ? 0 : p.kv_heads);
  uint position = positions[long(row) * p.position_step];
  uint place = places[long(row) * p.place_step];
  if (!is_q) {
    // What the cache has no place for is not kept, nor what a later row replaces.
    float replaced = place >= p.tokens;
    for (uint later = row + 1 + team.index; later < p.rows; later += team.threads) {
      if (places[long(later) * p.place_step] == place) replaced = 1;
    }
    if (of_group<Add>(replaced, parts, team) > 0) return;
  }
  for (uint i = team.index; i < p.size; i += team.threads) {
    if (is_q) {
      head[i] = to_float(q[p.leads[0] + long(row) * p.q_row + long(number) * p.q_head + long(i) * p.q_step]);
    } else if (is_k) {
      head[i] = to_float(k[p.leads[1] + long(row) * p.k_row + long(number) * p.k_head + long(i) * p.k_step]);
    } else {
      head[i] = to_float(v[p.leads[2] + long(row) * p.v_row + long(number) * p.v_head + long(i) * p.v_step]);
    }
  }
#ifdef NORMED
  if (is_q || is_k) {
    float squares = 0;
    for (uint i = team.index; i < p.size; i += team.threads) squares += head[i] * head[i];
    squares = of_group<Add>(squares, parts, team);
    float scale = 1 / sqrt(squares / p.size + p.epsilon);
    for (uint i = team.index; i < p.size; i += team.threads) {
      float weight = is_q ? to_float(q_norm[p.leads[5] + long(i) * p.q_norm_step])
                          : to_float(k_norm[p.leads[6] + long(i) * p.k_norm_step]);
      head[i] *= scale * weight;
    }
  }
#endif
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (is_q || is_k) {
    for (uint i = team.index; i < p.pairs; i += team.threads) {
      uint2 pair = elements_of_pair(i, p.pairs, p.neighbours);
      float a = head[pair.x], b = head[pair.y];
      Turn by = turn(position, frequencies[long(i) * p.frequency_step]);
      head[pair.x] = (a * by.cos - b * by.sin) * p.magnitude;
      head[pair.y] = (b * by.cos + a * by.sin) * p.magnitude;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (is_q) {
    out += p.leads[7] + long(row) * p.out_row + long(number) * p.out_head;
    for (uint i = team.index; i < p.size; i += team.threads) {
      out[long(i) * p.out_step] = from_float<OUT>(head[i]);
    }
  } else if (is_k) {
    keys += CACHE_AT(p.leads[8] + long(number) * p.keys_head + long(place) * p.keys_token);
    store(keys, p.keys_step, head, p.size, team);
  } else {
    values += CACHE_AT(p.leads[9] + long(number) * p.values_head + long(place) * p.values_token);
    store(values, p.values_step, head, p.size, team);
  }
}
