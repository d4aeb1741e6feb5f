// One threadgroup per row, in three passes: the maximum, the sum, the shares. X and OUT are the
// types of the views, MASK where there is one; LOG is defined where logarithms are wanted.
struct Params {
  uint leads[3];
  uint width;
  int x_step, mask_step, out_step;
  float scale;
  Rows<3> rows;
};

#ifndef MASK
#define MASK X
#define MASK_AT(i) 0
#else
#define MASK_AT(i) to_float(mask[long(i) * p.mask_step])
#endif

MOST_THREADS
kernel void softmax(device const X *x [[buffer(0)]], device const MASK *mask [[buffer(1)]],
                    device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                    uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint row = group.x;
  threadgroup float parts[GROUP_PARTS];
  Team team = TEAM;
  x += p.leads[0] + row_start(p.rows, 0, row);
  mask += p.leads[1] + row_start(p.rows, 1, row);
  out += p.leads[2] + row_start(p.rows, 2, row);
#define SCORE(i) (to_float(x[long(i) * p.x_step]) * p.scale + MASK_AT(i))
  float most = -INFINITY;
  for (uint i = team.index; i < p.width; i += team.threads) most = max(most, SCORE(i));
  most = of_group<Most>(most, parts, team);
  // All is -inf, or all is NaN: against 0 the first becomes zeros and the second stays NaN.
  float base = most == -INFINITY ? 0 : most;
  float sum = 0;
  for (uint i = team.index; i < p.width; i += team.threads) sum += precise::exp(SCORE(i) - base);
  sum = of_group<Add>(sum, parts, team);
#ifdef LOG
  float log_sum = sum == 0 ? 0 : precise::log(sum);
#define RESULT(z) (z - base - log_sum)
#else
  float share = sum == 0 ? 0 : 1 / sum;
#define RESULT(z) (precise::exp(z - base) * share)
#endif
  for (uint i = team.index; i < p.width; i += team.threads) {
    out[long(i) * p.out_step] = from_float<OUT>(RESULT(SCORE(i)));
  }
}
