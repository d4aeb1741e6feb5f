// The product of two vectors: parts of it by threadgroups, then their sum. A, B and OUT are the
// types of the views.
struct Params {
  uint leads[3];
  uint length, chunk;
  int a_step, b_step;
};

kernel void dot_part(device const A *a [[buffer(0)]], device const B *b [[buffer(1)]],
                     device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                     uint3 at [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint group = at.x;
  threadgroup float parts[GROUP_PARTS];
  Team team = TEAM;
  a += p.leads[0];
  b += p.leads[1];
  uint first = group * p.chunk, end = min(p.length, first + p.chunk);
  float sum = 0;
  for (uint i = first + team.index; i < end; i += team.threads) {
    sum = fma(to_float(a[long(i) * p.a_step]), to_float(b[long(i) * p.b_step]), sum);
  }
  sum = of_group<Add>(sum, parts, team);
  if (team.index == 0) out[p.leads[2] + group] = from_float<OUT>(sum);
}

struct SumParams {
  uint leads[2];
  uint parts;
};

kernel void dot_sum(device const float *from [[buffer(0)]], device OUT *out [[buffer(1)]],
                    constant SumParams &p [[buffer(2)]], TEAM_ARGUMENTS) {
  threadgroup float parts[GROUP_PARTS];
  Team team = TEAM;
  float sum = 0;
  for (uint i = team.index; i < p.parts; i += team.threads) sum += from[i];
  sum = of_group<Add>(sum, parts, team);
  if (team.index == 0) out[p.leads[1]] = from_float<OUT>(sum);
}
