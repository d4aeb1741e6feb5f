// One threadgroup per group of channels of an item. X and OUT are the types of the views, W and
// BIAS where there are such.
struct Params {
  uint leads[4];
  uint group_elements, channel_elements, channels, groups;
  int weight_step, bias_step;
  float epsilon;
  Rows<2> elements;
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

template <typename T> struct Group {
  device const T *x;
  constant Rows<2> *elements;
  uint first;
  float operator()(uint i) const { return to_float(x[row_start(*elements, 0, first + i)]); }
};

MOST_THREADS
kernel void group_norm(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                       device const BIAS *bias [[buffer(2)]], device OUT *out [[buffer(3)]],
                       constant Params &p [[buffer(4)]],
                       uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  uint number = group.x;
  threadgroup float parts[GROUP_PARTS];
  Team team = TEAM;
  weight += p.leads[1];
  bias += p.leads[2];
  out += p.leads[3];
  Group<X> at = {x + p.leads[0], &p.elements, number * p.group_elements};
  Moments of = moments(p.group_elements, p.epsilon, at, parts, team);
  uint first_channel = number % p.groups * (p.channels / p.groups);
  for (uint i = team.index; i < p.group_elements; i += team.threads) {
    uint channel = first_channel + i / p.channel_elements;
    float value = of.normed(at(i)) * WEIGHT(channel) + BIAS_AT(channel);
    out[row_start(p.elements, 1, at.first + i)] = from_float<OUT>(value);
  }
}
