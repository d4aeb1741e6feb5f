// One to eight rows of x: a matrix times a few vectors. Each simdgroup has OUTPUTS rows of a weight.
// Up to four layers are one launch: each has threadgroups of its own.
// The first of the outputs that a simdgroup has, of the layers that start at `first_group`.
inline uint first_output(uint group, uint first_group, Team team) {
#ifdef NO_SIMD
  return ((group - first_group) * team.threads + team.index) * OUTPUTS;
#else
  return ((group - first_group) * team.simdgroups + team.simdgroup) * OUTPUTS;
#endif
}

inline uint lane_of(Team team) {
#ifdef NO_SIMD
  return 0;
#else
  return team.lane;
#endif
}

// The lane's share of the sums of layer `number` from output `first` on.
template <typename W>
inline Sums sums_of(device const X *x, device const W *weight, constant Params &p, uint number,
                    uint first, uint lane) {
  constant LayerParams &of = p.layers[number];
  Inputs in;
  in.step = of.x_step;
  for (uint row = 0; row < ROWS; row++) in.x[row] = row_of(x, p, number, row);
  weight += p.leads[1 + BUFFERS * number] / LENGTH_OF(W) + long(first) * of.weight_row;
  uint outputs = min(uint(OUTPUTS), of.outputs - first);
  return dots(in, weight, of.weight_row, of.weight_step, outputs, of.k, lane);
}

#ifdef ACTIVATION
// A gate and what passes through it: both layers of an output by one simdgroup.
kernel void linear_gated(WEIGHT_ARGUMENTS(0, 0, 1, 2), WEIGHT_ARGUMENTS(1, 3, 4, 5),
                         device OUT *out [[buffer(6)]], constant Params &p [[buffer(7)]],
                         uint3 at [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint group = at.x;
  Team team = TEAM;
  uint first = first_output(group, 0, team), lane = lane_of(team), all = p.layers[0].outputs;
  if (first >= all) return;
  Sums gates = sums_of(x0, weight0, p, 0, first, lane);
  Sums ups = sums_of(x1, weight1, p, 1, first, lane);
  for (uint row = 0; row < ROWS; row++) {
    for (uint o = 0; o < OUTPUTS; o++) {
      float gate_sum = LANE_SUM(gates.of[o][row]), up_sum = LANE_SUM(ups.of[o][row]);
      if (lane != 0 || first + o >= all || row >= p.rows) continue;
      OUT0 gate = result<OUT0>(gate_sum, bias0, p, 0, first + o);
      OUT1 up = result<OUT1>(up_sum, bias1, p, 1, first + o);
      store(to_float(gate), to_float(up), out, p, row, first + o);
    }
  }
}
#else
template <typename W, typename Bias, typename Out>
inline void layer(device const X *x, device const W *weight, device const Bias *bias, device Out *out,
                  constant Params &p, uint number, uint group, Team team) {
  uint all = p.layers[number].outputs;
  uint first = first_output(group, p.layers[number].first_group, team), lane = lane_of(team);
  if (first >= all) return;
  Sums sums = sums_of(x, weight, p, number, first, lane);
  for (uint row = 0; row < ROWS; row++) {
    for (uint o = 0; o < OUTPUTS; o++) {
      float sum = LANE_SUM(sums.of[o][row]);
      if (lane == 0 && first + o < all && row < p.rows) {
        store(sum, bias, out, p, number, row, first + o);
      }
    }
  }
}

kernel void linear_few(LAYER_ARGUMENTS(0, 0, 1, 2, 3),
#if LAYERS > 1
                       LAYER_ARGUMENTS(1, 4, 5, 6, 7),
#endif
#if LAYERS > 2
                       LAYER_ARGUMENTS(2, 8, 9, 10, 11),
#endif
#if LAYERS > 3
                       LAYER_ARGUMENTS(3, 12, 13, 14, 15),
#endif
                       constant Params &p [[buffer(4 * LAYERS)]],
                       uint3 at [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint group = at.x;
  Team team = TEAM;
#if LAYERS > 3
  if (group >= p.layers[3].first_group) return layer(x3, weight3, bias3, out3, p, 3, group, team);
#endif
#if LAYERS > 2
  if (group >= p.layers[2].first_group) return layer(x2, weight2, bias2, out2, p, 2, group, team);
#endif
#if LAYERS > 1
  if (group >= p.layers[1].first_group) return layer(x1, weight1, bias1, out1, p, 1, group, team);
#endif
  layer(x0, weight0, bias0, out0, p, 0, group, team);
}
#endif
