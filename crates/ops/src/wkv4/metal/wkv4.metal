// One thread per channel of a sequence, for all its tokens. K, V, W, U and OUT are the types of the
// views.
struct Params {
  uint leads[6];
  uint tokens, channels;
  int k_sequence, k_token, k_step, v_sequence, v_token, v_step;
  int out_sequence, out_token, out_step, state_sequence, state_row, state_step;
  int w_step, u_step;
};

// The larger one; NaN if either is.
inline float larger(float x, float y) { return isnan(x) || x > y ? x : y; }

kernel void wkv4(device const K *k [[buffer(0)]], device const V *v [[buffer(1)]],
                 device const W *w [[buffer(2)]], device const U *u [[buffer(3)]],
                 device OUT *out [[buffer(4)]], device float *state [[buffer(5)]],
                 constant Params &p [[buffer(6)]], uint3 at [[thread_position_in_grid]]) {
  uint channel = at.x, sequence = at.y;
  if (channel >= p.channels) return;
  k += p.leads[0] + long(sequence) * p.k_sequence + long(channel) * p.k_step;
  v += p.leads[1] + long(sequence) * p.v_sequence + long(channel) * p.v_step;
  out += p.leads[4] + long(sequence) * p.out_sequence + long(channel) * p.out_step;
  state += p.leads[5] + long(sequence) * p.state_sequence + long(channel) * p.state_step;
  float fade = to_float(w[p.leads[2] + long(channel) * p.w_step]);
  float bonus = to_float(u[p.leads[3] + long(channel) * p.u_step]);
  float a = state[0], b = state[p.state_row], exponent = state[2 * long(p.state_row)];
  for (uint t = 0; t < p.tokens; t++) {
    float key = to_float(k[long(t) * p.k_token]), value = to_float(v[long(t) * p.v_token]);
    float most = larger(exponent, bonus + key);
    float old = exp(exponent - most), fresh = exp(bonus + key - most);
    out[long(t) * p.out_token] = from_float<OUT>((old * a + fresh * value) / (old * b + fresh));
    most = larger(exponent + fade, key);
    old = exp(exponent + fade - most);
    fresh = exp(key - most);
    a = old * a + fresh * value;
    b = old * b + fresh;
    exponent = most;
  }
  state[0] = a;
  state[p.state_row] = b;
  state[2 * long(p.state_row)] = exponent;
}
