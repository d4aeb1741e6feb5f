// A product with at most eight rows: `x` has the ROWS of the thin factor, `weight` the columns of
// the other, W; both are read along the sum. X, W and OUT are the types of the views.
struct Params {
  uint leads[3];
  uint rows, k, outputs;
  int x_row, x_step, weight_row, weight_step, out_row, out_step;
  Rows<3> starts;
};

// For a wide factor that is gapless along the sum: simdgroups with a few of its columns each.
kernel void matmul_along(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                         device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                         uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  Team team = TEAM;
#ifdef NO_SIMD
  uint lane = 0, first = (group.x * team.threads + team.index) * OUTPUTS;
#else
  uint lane = team.lane, first = (group.x * team.simdgroups + team.simdgroup) * OUTPUTS;
#endif
  if (first >= p.outputs) return;
  uint outputs = min(uint(OUTPUTS), p.outputs - first);
  Inputs in;
  in.step = p.x_step;
  x += p.leads[0] + row_start(p.starts, 0, group.y);
  for (uint row = 0; row < ROWS; row++) in.x[row] = x + long(min(row, p.rows - 1)) * p.x_row;
  weight += p.leads[1] + row_start(p.starts, 1, group.y) + long(first) * p.weight_row;
  Sums sums = dots(in, weight, p.weight_row, p.weight_step, outputs, p.k, lane);
  out += p.leads[2] + row_start(p.starts, 2, group.y) + long(first) * p.out_step;
  for (uint row = 0; row < ROWS; row++) {
    for (uint o = 0; o < OUTPUTS; o++) {
      float sum = LANE_SUM(sums.of[o][row]);
      if (lane != 0 || o >= outputs || row >= p.rows) continue;
      out[long(row) * p.out_row + long(o) * p.out_step] = from_float<OUT>(sum);
    }
  }
}

// For one that is gapless across: 32 columns, each in eight parts along the sum.
#define SLICES 8

kernel void matmul_across(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                          device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                          uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup float parts[SLICES][ROWS][32];
  Team team = TEAM;
  uint column = team.index % 32, slice = team.index / 32, output = group.x * 32 + column;
  x += p.leads[0] + row_start(p.starts, 0, group.y);
  weight += p.leads[1] + row_start(p.starts, 1, group.y) +
            long(min(output, p.outputs - 1)) * p.weight_row;
  float sums[ROWS] = {};
  for (uint i = slice; i < p.k; i += SLICES) {
    float w = to_float(weight[long(i) * p.weight_step]);
    for (uint row = 0; row < ROWS; row++) {
      float value = to_float(x[long(min(row, p.rows - 1)) * p.x_row + long(i) * p.x_step]);
      sums[row] = fma(w, value, sums[row]);
    }
  }
  for (uint row = 0; row < ROWS; row++) parts[slice][row][column] = sums[row];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (output >= p.outputs) return;
  out += p.leads[2] + row_start(p.starts, 2, group.y) + long(output) * p.out_step;
  for (uint row = slice; row < p.rows; row += SLICES) {
    float sum = 0;
    for (uint i = 0; i < SLICES; i++) sum += parts[i][row][column];
    out[long(row) * p.out_row] = from_float<OUT>(sum);
  }
}
