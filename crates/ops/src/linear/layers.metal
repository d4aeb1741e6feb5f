// Up to four linear layers of one x in one launch: the numbers they take, their buffers, and how a
// result is stored. X, W0.., OUT0.. and BIAS0.. are the types of the views; where ACTIVATION is
// defined there are two layers, a gate and what passes through it, and OUT is the type of the result.
struct LayerParams {
  uint outputs, first_group, has_bias;
  int weight_row, weight_step, bias_step, out_step;
  Rows<1> out_rows;
};

struct Params {
#ifdef ACTIVATION
  uint leads[2 + 3 * LAYERS];
#else
  uint leads[1 + 3 * LAYERS];
#endif
  uint rows, k;
  int x_step;
  Rows<1> x_rows;
  LayerParams layers[LAYERS];
#ifdef ACTIVATION
  int out_step;
  Rows<1> out_rows;
#endif
};

// A sum with its bias, stored; the result is what was stored.
template <typename Bias, typename Out>
inline float store(float sum, device const Bias *bias, device Out *out, constant Params &p,
                   uint number, uint row, uint output) {
  constant LayerParams &of = p.layers[number];
  constant uint *leads = p.leads + 1 + 3 * number;
  if (of.has_bias) sum += to_float(bias[leads[1] + long(output) * of.bias_step]);
  Out stored = from_float<Out>(sum);
  out[leads[2] + row_start(of.out_rows, 0, row) + long(output) * of.out_step] = stored;
  return to_float(stored);
}

#define LAYER_ARGUMENTS(N, A, B, C)                                                                \
  device const W##N *weight##N [[buffer(A)]], device const BIAS##N *bias##N [[buffer(B)]],         \
      device OUT##N *out##N [[buffer(C)]]
