// One threadgroup per head of a sequence, one thread per column of its state. X and OUT are the types of
// the views; FIRST is float, const unless IS_FIRST. Sums over a head are of few numbers, so each thread
// makes its own: all get the same.
struct Params {
  uint leads[5];
  uint tokens, size;
  float epsilon, fastest, shortest;
  int part, weight_part, weight_head, weight_step;
  Steps x, first, out;
  StateSteps state;
};

inline float share_of(float x) { return 1 / (1 + precise::exp(-x)); }

kernel void time_mix7(device const X *x [[buffer(0)]], device const float *weights [[buffer(1)]],
                      device OUT *out [[buffer(2)]], device float *column [[buffer(3)]],
                      device FIRST *first [[buffer(4)]], constant Params &p [[buffer(5)]],
                      uint3 group [[threadgroup_position_in_grid]],
                      uint3 place [[thread_position_in_threadgroup]]) {
  // Receptance, decay, key and direction of each row, and what sums are made of.
  threadgroup float4 rows[MOST];
  threadgroup float2 others[MOST];
  threadgroup float results[MOST];
  uint head = group.x, sequence = group.y, j = place.x;
  bool has = j < p.size;
  x += p.leads[0] + start(p.x, sequence, head, j);
  weights += p.leads[1] + long(head) * p.weight_head + long(j) * p.weight_step;
  out += p.leads[2] + start(p.out, sequence, head, j);
  column += p.leads[3] + start(p.state, sequence, head, j);
  first += p.leads[4] + start(p.first, sequence, head, j);
  TAKE_COLUMN;
  for (uint t = 0; t < p.tokens; t++) {
    float value = 0, gate = 1, result = 0, bonus = 0;
    if (has) {
      device const X *own = x + long(t) * p.x.token;
      float r = to_float(own[0]), k = to_float(own[2 * long(p.part)]);
      value = to_float(own[3 * long(p.part)]);
#ifdef IS_FIRST
      first[long(t) * p.first.token] = value;
#else
      float theirs = first[long(t) * p.first.token];
      value += (theirs - value) * share_of(to_float(own[6 * long(p.part)]));
#endif
#ifdef GATE
      gate = to_float(own[5 * long(p.part)]);
#endif
      float decay = precise::exp(p.fastest * share_of(to_float(own[long(p.part)])));
      float rate = share_of(to_float(own[4 * long(p.part)]));
      float key = k * (1 + (rate - 1) * weights[long(p.weight_part)]);
      rows[j] = float4(r, decay, key, k * weights[0]);
      others[j] = float2(rate, r * key * weights[2 * long(p.weight_part)]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (has) {
      float squares = 0, forgotten = 0;
      EACH_KEY(i) {
        float d = rows[i].w;
        squares += d * d;
        bonus += others[i].y;
        forgotten += CELL(i) * d;
      }
      float length = max(precise::sqrt(squares), p.shortest);
      forgotten /= length;
      EACH_KEY(i) {
        float4 of = rows[i];
        float cell = CELL(i) * of.y - forgotten * (of.w / length * others[i].x) + value * of.z;
        CELL(i) = cell;
        result += cell * of.x;
      }
      results[j] = result;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (has) {
#ifdef NORM
      float mean = 0, variance = 0;
      EACH_KEY(i) mean += results[i];
      mean /= float(p.size);
      EACH_KEY(i) variance += (results[i] - mean) * (results[i] - mean);
      float scale = 1 / precise::sqrt(variance / float(p.size) + p.epsilon);
      result = (result - mean) * scale * weights[3 * long(p.weight_part)] +
               weights[4 * long(p.weight_part)];
#endif
      out[long(t) * p.out.token] = from_float<OUT>((result + bonus * value) * gate);
    }
  }
  GIVE_COLUMN;
}
