// One threadgroup per head of a sequence, one thread per column of its state. R, DECAY, K, V, A, B
// and OUT are the types of the views.
struct Params {
  uint leads[8];
  uint tokens, size;
  Steps r, decay, k, v, a, b, out;
  StateSteps state;
};

kernel void wkv7(device const R *r [[buffer(0)]], device const DECAY *decay [[buffer(1)]],
                 device const K *k [[buffer(2)]], device const V *v [[buffer(3)]],
                 device const A *a [[buffer(4)]], device const B *b [[buffer(5)]],
                 device OUT *out [[buffer(6)]], device float *column [[buffer(7)]],
                 constant Params &p [[buffer(8)]], uint3 group [[threadgroup_position_in_grid]],
                 uint3 place [[thread_position_in_threadgroup]]) {
  // Of two tokens: while slow threads read one, fast ones write the next.
  threadgroup float4 keys[2][MOST];
  threadgroup float directions[2][MOST];
  uint head = group.x, sequence = group.y, j = place.x;
  bool has = j < p.size;
  r += p.leads[0] + start(p.r, sequence, head, j);
  decay += p.leads[1] + start(p.decay, sequence, head, j);
  k += p.leads[2] + start(p.k, sequence, head, j);
  v += p.leads[3] + start(p.v, sequence, head, j);
  a += p.leads[4] + start(p.a, sequence, head, j);
  b += p.leads[5] + start(p.b, sequence, head, j);
  out += p.leads[6] + start(p.out, sequence, head, j);
  column += p.leads[7] + start(p.state, sequence, head, j);
  TAKE_COLUMN;
  for (uint t = 0; t < p.tokens; t++) {
    threadgroup float4 *now = keys[t % 2];
    threadgroup float *direction = directions[t % 2];
    if (has) {
      now[j] = float4(to_float(r[long(t) * p.r.token]), to_float(decay[long(t) * p.decay.token]),
                      to_float(k[long(t) * p.k.token]), to_float(b[long(t) * p.b.token]));
      direction[j] = to_float(a[long(t) * p.a.token]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (has) {
      float value = to_float(v[long(t) * p.v.token]), forgotten = 0, y = 0;
      EACH_KEY(i) forgotten += CELL(i) * direction[i];
      EACH_KEY(i) {
        float4 of = now[i];
        float cell = CELL(i) * of.y + forgotten * of.w + value * of.z;
        CELL(i) = cell;
        y += cell * of.x;
      }
      out[long(t) * p.out.token] = from_float<OUT>(y);
    }
  }
  GIVE_COLUMN;
}
