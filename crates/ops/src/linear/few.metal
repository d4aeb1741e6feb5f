// One to eight rows of x: a matrix times a few vectors. Each simdgroup has OUTPUTS rows of a weight.
// Up to four weights of one x are one launch: each has threadgroups of its own. X, W0.., OUT0.. and
// BIAS0.. are the types of the views.
struct LayerParams {
  uint outputs, first_group, has_bias;
  int weight_row, weight_step, bias_step, out_step;
  Rows<1> out_rows;
};

struct Params {
  uint leads[1 + 3 * LAYERS];
  uint rows, k;
  int x_step;
  Rows<1> x_rows;
  LayerParams layers[LAYERS];
};

template <typename W, typename Bias, typename Out>
inline void layer(device const X *x, device const W *weight, device const Bias *bias, device Out *out,
                  constant Params &p, uint number, uint group, Team team) {
  constant LayerParams &of = p.layers[number];
#ifdef NO_SIMD
  uint lane = 0, first = ((group - of.first_group) * team.threads + team.index) * OUTPUTS;
#else
  uint lane = team.lane;
  uint first = ((group - of.first_group) * team.simdgroups + team.simdgroup) * OUTPUTS;
#endif
  if (first >= of.outputs) return;
  constant uint *leads = p.leads + 1 + 3 * number;
  uint outputs = min(uint(OUTPUTS), of.outputs - first);
  Inputs in;
  in.step = p.x_step;
  for (uint row = 0; row < ROWS; row++) {
    in.x[row] = x + p.leads[0] + row_start(p.x_rows, 0, min(row, p.rows - 1));
  }
  weight += leads[0] / LENGTH_OF(W) + long(first) * of.weight_row;
  Sums sums = dots(in, weight, of.weight_row, of.weight_step, outputs, p.k, lane);
  for (uint row = 0; row < ROWS; row++) {
    for (uint o = 0; o < OUTPUTS; o++) {
      float sum = LANE_SUM(sums.of[o][row]);
      if (lane != 0 || o >= outputs || row >= p.rows) continue;
      if (of.has_bias) sum += to_float(bias[leads[1] + long(first + o) * of.bias_step]);
      long place = leads[2] + row_start(of.out_rows, 0, row) + long(first + o) * of.out_step;
      out[place] = from_float<Out>(sum);
    }
  }
}

#define LAYER_ARGUMENTS(N, A, B, C)                                                                \
  device const W##N *weight##N [[buffer(A)]], device const BIAS##N *bias##N [[buffer(B)]],         \
      device OUT##N *out##N [[buffer(C)]]

kernel void linear_few(device const X *x [[buffer(0)]], LAYER_ARGUMENTS(0, 1, 2, 3),
#if LAYERS > 1
                       LAYER_ARGUMENTS(1, 4, 5, 6),
#endif
#if LAYERS > 2
                       LAYER_ARGUMENTS(2, 7, 8, 9),
#endif
#if LAYERS > 3
                       LAYER_ARGUMENTS(3, 10, 11, 12),
#endif
                       constant Params &p [[buffer(1 + 3 * LAYERS)]],
                       uint group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  Team team = TEAM;
#if LAYERS > 3
  if (group >= p.layers[3].first_group) return layer(x, weight3, bias3, out3, p, 3, group, team);
#endif
#if LAYERS > 2
  if (group >= p.layers[2].first_group) return layer(x, weight2, bias2, out2, p, 2, group, team);
#endif
#if LAYERS > 1
  if (group >= p.layers[1].first_group) return layer(x, weight1, bias1, out1, p, 1, group, team);
#endif
  layer(x, weight0, bias0, out0, p, 0, group, team);
}
