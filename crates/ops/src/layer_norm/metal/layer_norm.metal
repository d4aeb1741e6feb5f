// One threadgroup per row. X and OUT are the types of the views, W and BIAS where there are such.
struct Params {
  uint leads[4];
  uint width;
  int x_step, weight_step, bias_step, out_step;
  float epsilon;
  Rows<2> rows;
};

#ifndef W
#define W X
#define WEIGHT(i) 1
#else
#define WEIGHT(i) to_float(weight[long(i) * p.weight_step])
#endif
#ifndef BIAS
#define BIAS X
#define BIAS_AT(i) 0
#else
#define BIAS_AT(i) to_float(bias[long(i) * p.bias_step])
#endif

template <typename T> struct Row {
  device const T *x;
  int step;
  float operator()(uint i) const { return to_float(x[long(i) * step]); }
};

MOST_THREADS
kernel void layer_norm(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                       device const BIAS *bias [[buffer(2)]], device OUT *out [[buffer(3)]],
                       constant Params &p [[buffer(4)]],
                       uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint row = group.x;
  threadgroup float parts[GROUP_PARTS];
  Team team = TEAM;
  Row<X> at = {x + p.leads[0] + row_start(p.rows, 0, row), p.x_step};
  weight += p.leads[1];
  bias += p.leads[2];
  out += p.leads[3] + row_start(p.rows, 1, row);
  Moments of = moments(p.width, p.epsilon, at, parts, team);
  for (uint i = team.index; i < p.width; i += team.threads) {
    float value = of.normed(at(i)) * WEIGHT(i) + BIAS_AT(i);
    out[long(i) * p.out_step] = from_float<OUT>(value);
  }
}
