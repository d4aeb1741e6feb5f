// One threadgroup per head of a sequence, one thread per column of its state. R, K, V, DECAY, U and
// OUT are the types of the views.
struct Params {
  uint leads[7];
  uint tokens, size;
  Steps r, k, v, decay, out;
  int u_head, u_step;
  StateSteps state;
};

kernel void wkv6(device const R *r [[buffer(0)]], device const K *k [[buffer(1)]],
                 device const V *v [[buffer(2)]], device const DECAY *decay [[buffer(3)]],
                 device const U *u [[buffer(4)]], device OUT *out [[buffer(5)]],
                 device float *column [[buffer(6)]], constant Params &p [[buffer(7)]],
                 uint3 group [[threadgroup_position_in_grid]],
                 uint3 place [[thread_position_in_threadgroup]]) {
  // Of two tokens: while slow threads read one, fast ones write the next.
  threadgroup float4 keys[2][MOST];
  uint head = group.x, sequence = group.y, j = place.x;
  bool has = j < p.size;
  r += p.leads[0] + start(p.r, sequence, head, j);
  k += p.leads[1] + start(p.k, sequence, head, j);
  v += p.leads[2] + start(p.v, sequence, head, j);
  decay += p.leads[3] + start(p.decay, sequence, head, j);
  out += p.leads[5] + start(p.out, sequence, head, j);
  column += p.leads[6] + start(p.state, sequence, head, j);
  float bonus = has ? to_float(u[p.leads[4] + long(head) * p.u_head + long(j) * p.u_step]) : 0;
  TAKE_COLUMN;
  for (uint t = 0; t < p.tokens; t++) {
    threadgroup float4 *now = keys[t % 2];
    if (has) {
      float key = to_float(k[long(t) * p.k.token]);
      now[j] = float4(to_float(r[long(t) * p.r.token]), key, bonus * key,
                      to_float(decay[long(t) * p.decay.token]));
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (has) {
      float value = to_float(v[long(t) * p.v.token]), y = 0;
      EACH_KEY(i) {
        float4 of = now[i];
        float cell = CELL(i);
        y += of.x * (cell + of.z * value);
        CELL(i) = of.w * cell + of.y * value;
      }
      out[long(t) * p.out.token] = from_float<OUT>(y);
    }
  }
  GIVE_COLUMN;
}
