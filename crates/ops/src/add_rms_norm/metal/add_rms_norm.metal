// One threadgroup per row: the sum of both inputs and its squares, then each element scaled. X, Y,
// W, SUM and OUT are the types of the views.
struct Params {
  uint leads[5];
  uint width;
  int x_step, y_step, weight_step, sum_step, out_step;
  float epsilon;
  Rows<4> rows;
};

// Rows of up to as many elements are kept, so that nothing is read twice.
#define KEPT 4096

MOST_THREADS
kernel void add_rms_norm(device const X *x [[buffer(0)]], device const Y *y [[buffer(1)]],
                         device const W *weight [[buffer(2)]], device SUM *sum [[buffer(3)]],
                         device OUT *out [[buffer(4)]], constant Params &p [[buffer(5)]],
                         uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint row = group.x;
  threadgroup float parts[GROUP_PARTS];
  threadgroup float kept[KEPT];
  Team team = TEAM;
  x += p.leads[0] + row_start(p.rows, 0, row);
  y += p.leads[1] + row_start(p.rows, 1, row);
  weight += p.leads[2];
  sum += p.leads[3] + row_start(p.rows, 2, row);
  out += p.leads[4] + row_start(p.rows, 3, row);
  // Either output may lie where either input does. Beyond what is kept, inputs are read again, so
  // the sum is only written in the second pass.
  float squares = 0;
  for (uint i = team.index; i < p.width; i += team.threads) {
    float value = to_float(x[long(i) * p.x_step]) + to_float(y[long(i) * p.y_step]);
    if (i < KEPT) kept[i] = value;
    squares += value * value;
  }
  squares = of_group<Add>(squares, parts, team);
  float scale = 1 / sqrt(squares / p.width + p.epsilon);
  for (uint i = team.index; i < p.width; i += team.threads) {
    float value;
    if (i < KEPT) {
      value = kept[i];
    } else {
      value = to_float(x[long(i) * p.x_step]) + to_float(y[long(i) * p.y_step]);
    }
    float normed = value * (scale * to_float(weight[long(i) * p.weight_step]));
    sum[long(i) * p.sum_step] = from_float<SUM>(value);
    out[long(i) * p.out_step] = from_float<OUT>(normed);
  }
}
