// One threadgroup per row: the sum of squares, then each element scaled. X, W and OUT are the
// types of the views.
struct Params {
  uint leads[3];
  uint width;
  int x_step, weight_step, out_step;
  float epsilon;
  Rows<2> rows;
};

MOST_THREADS
kernel void rms_norm(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                     device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                     uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint row = group.x;
  threadgroup float parts[GROUP_PARTS];
  Team team = TEAM;
  x += p.leads[0] + row_start(p.rows, 0, row);
  weight += p.leads[1];
  out += p.leads[2] + row_start(p.rows, 1, row);
  float squares = 0;
  for (uint i = team.index; i < p.width; i += team.threads) {
    float value = to_float(x[long(i) * p.x_step]);
    squares += value * value;
  }
  squares = of_group<Add>(squares, parts, team);
  float scale = 1 / sqrt(squares / p.width + p.epsilon);
  for (uint i = team.index; i < p.width; i += team.threads) {
    float value = to_float(x[long(i) * p.x_step]);
    value *= scale * to_float(weight[long(i) * p.weight_step]);
    out[long(i) * p.out_step] = from_float<OUT>(value);
  }
}
