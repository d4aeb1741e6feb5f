// One thread per channel of a token, for all its mixes. X, MU and OUT are the types of the views.
struct Params {
  uint leads[4];
  uint mixes, tokens, channels;
  int x_sequence, x_token, x_step, state_sequence, state_step;
  int mu_mix, mu_sequence, mu_token, mu_step, out_mix, out_sequence, out_token, out_step;
};

kernel void token_shift(device const X *x [[buffer(0)]], device const MU *mu [[buffer(1)]],
                        device OUT *out [[buffer(2)]], device STATE *state [[buffer(3)]],
                        constant Params &p [[buffer(4)]], uint3 at [[thread_position_in_grid]]) {
  uint channel = at.x, token = at.y, sequence = at.z;
  if (channel >= p.channels) return;
  x += p.leads[0] + long(sequence) * p.x_sequence + long(channel) * p.x_step;
  mu += p.leads[1] + long(sequence) * p.mu_sequence + long(token) * p.mu_token +
        long(channel) * p.mu_step;
  out += p.leads[2] + long(sequence) * p.out_sequence + long(token) * p.out_token +
         long(channel) * p.out_step;
  state += p.leads[3] + long(sequence) * p.state_sequence + long(channel) * p.state_step;
  float own = to_float(x[long(token) * p.x_token]);
  float before = token == 0 ? float(*state) : to_float(x[long(token - 1) * p.x_token]);
  for (uint n = 0; n < p.mixes; n++) {
    float factor = to_float(mu[long(n) * p.mu_mix]);
    out[long(n) * p.out_mix] = from_float<OUT>(own + (before - own) * factor);
  }
#ifdef UPDATE
  // By the thread that has read it: no other one does.
  if (token == 0) *state = to_float(x[long(p.tokens - 1) * p.x_token]);
#endif
}
