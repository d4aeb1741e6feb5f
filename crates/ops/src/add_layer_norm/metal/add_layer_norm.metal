// One threadgroup per row: the moments of the sum of both inputs, then each element normed. X, Y, W, SUM
// and OUT are the types of the views, and BIAS where there is one.
struct Params {
  uint leads[6];
  uint width;
  int x_step, y_step, weight_step, bias_step, sum_step, out_step;
  float epsilon;
  Rows<4> rows;
};

#ifndef BIAS
#define BIAS X
#define BIAS_AT(i) 0
#else
#define BIAS_AT(i) to_float(bias[long(i) * p.bias_step])
#endif

// Rows of up to as many elements are kept, so that nothing is read twice.
#define KEPT 4096

// The sums of a row: kept ones, and beyond them those of inputs that are read again.
template <typename A, typename B> struct Sums {
  device const A *x;
  device const B *y;
  int x_step, y_step;
  threadgroup float *kept;

  float added(uint i) const { return to_float(x[long(i) * x_step]) + to_float(y[long(i) * y_step]); }
  float operator()(uint i) const { return i < KEPT ? kept[i] : added(i); }
};

MOST_THREADS
kernel void add_layer_norm(device const X *x [[buffer(0)]], device const Y *y [[buffer(1)]],
                           device const W *weight [[buffer(2)]],
                           device const BIAS *bias [[buffer(3)]], device SUM *sum [[buffer(4)]],
                           device OUT *out [[buffer(5)]], constant Params &p [[buffer(6)]],
                           uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint row = group.x;
  threadgroup float parts[GROUP_PARTS];
  threadgroup float kept[KEPT];
  Team team = TEAM;
  Sums<X, Y> at = {x + p.leads[0] + row_start(p.rows, 0, row),
                   y + p.leads[1] + row_start(p.rows, 1, row), p.x_step, p.y_step, kept};
  weight += p.leads[2];
  bias += p.leads[3];
  sum += p.leads[4] + row_start(p.rows, 2, row);
  out += p.leads[5] + row_start(p.rows, 3, row);
  // Either output may lie where either input does: both are only written in the last pass, when all
  // threads have read the first element.
  for (uint i = team.index; i < min(p.width, uint(KEPT)); i += team.threads) kept[i] = at.added(i);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  Moments of = moments(p.width, p.epsilon, at, parts, team);
  for (uint i = team.index; i < p.width; i += team.threads) {
    float value = at(i);
    float normed = of.normed(value) * to_float(weight[long(i) * p.weight_step]) + BIAS_AT(i);
    sum[long(i) * p.sum_step] = from_float<SUM>(value);
    out[long(i) * p.out_step] = from_float<OUT>(normed);
  }
}
