// One expert for one row of x: a matrix times a vector, as in a linear layer of one row. X, W and
// OUT are the types of the views.
struct Params {
  uint leads[4];
  uint experts, used, k, outputs;
  int x_row, x_used, x_step, weight_expert, weight_row, weight_step;
  int id_row, id_used, out_row, out_used, out_step;
};

kernel void expert_linear(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                          device const uint *ids [[buffer(2)]], device OUT *out [[buffer(3)]],
                          constant Params &p [[buffer(4)]],
                          uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  Team team = TEAM;
#ifdef NO_SIMD
  uint lane = 0, first = (group.x * team.threads + team.index) * OUTPUTS;
#else
  uint lane = team.lane, first = (group.x * team.simdgroups + team.simdgroup) * OUTPUTS;
#endif
  if (first >= p.outputs) return;
  uint outputs = min(uint(OUTPUTS), p.outputs - first);
  uint row = group.y / p.used, used = group.y % p.used;
  uint id = ids[p.leads[2] + long(row) * p.id_row + long(used) * p.id_used];
  out += p.leads[3] + long(row) * p.out_row + long(used) * p.out_used + long(first) * p.out_step;
  if (id >= p.experts) {
    for (uint o = lane; o < outputs; o += LANES) out[long(o) * p.out_step] = from_float<OUT>(NAN);
    return;
  }
  Inputs in;
  in.step = p.x_step;
  in.x[0] = x + p.leads[0] + long(row) * p.x_row + long(used) * p.x_used;
  weight += p.leads[1] / LENGTH_OF(W) + long(id) * p.weight_expert + long(first) * p.weight_row;
  Sums sums = dots(in, weight, p.weight_row, p.weight_step, outputs, p.k, lane);
  for (uint o = 0; o < OUTPUTS; o++) {
    float sum = LANE_SUM(sums.of[o][0]);
    if (lane == 0 && o < outputs) out[long(o) * p.out_step] = from_float<OUT>(sum);
  }
}
