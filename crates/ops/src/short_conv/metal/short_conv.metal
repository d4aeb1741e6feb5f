// One thread per channel of a sequence. X, WEIGHT and OUT are the types of the views, and HELD is how
// many tokens before each one count.
struct Params {
  uint leads[4];
  uint tokens, channels;
  int x_sequence, x_token, x_step, out_sequence, out_token, out_step;
  int state_sequence, state_token, state_step, weight_channel, weight_step;
};

kernel void short_conv(device const X *x [[buffer(0)]], device const WEIGHT *weight [[buffer(1)]],
                       device OUT *out [[buffer(2)]], device float *state [[buffer(3)]],
                       constant Params &p [[buffer(4)]], uint3 at [[thread_position_in_grid]]) {
  uint channel = at.x, sequence = at.y;
  if (channel >= p.channels) return;
  x += p.leads[0] + long(sequence) * p.x_sequence + long(channel) * p.x_step;
  weight += p.leads[1] + long(channel) * p.weight_channel;
  out += p.leads[2] + long(sequence) * p.out_sequence + long(channel) * p.out_step;
  state += p.leads[3] + long(sequence) * p.state_sequence + long(channel) * p.state_step;
  float held[HELD], factors[HELD + 1];
  for (uint l = 0; l < HELD; l++) held[l] = state[long(l) * p.state_token];
  for (uint l = 0; l <= HELD; l++) factors[l] = to_float(weight[long(l) * p.weight_step]);
  for (uint t = 0; t < p.tokens; t++) {
    float own = to_float(x[long(t) * p.x_token]), sum = 0;
    for (uint l = 0; l < HELD; l++) {
      sum += held[l] * factors[l];
      held[l] = l + 1 < HELD ? held[l + 1] : own;
    }
    out[long(t) * p.out_token] = from_float<OUT>(sum + own * factors[HELD]);
  }
  for (uint l = 0; l < HELD; l++) state[long(l) * p.state_token] = held[l];
}
