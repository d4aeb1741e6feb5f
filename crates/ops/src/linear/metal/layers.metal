// Up to four linear layers in one launch: the numbers they take, their buffers, and how a result is
// stored. X, W0.., OUT0.. and BIAS0.. are the types of the views. Where ACTIVATED is defined, results
// may have an activation. Where ACTIVATION is, there are two layers, a gate and what passes through it,
// and OUT is the type of the result; OUT0 and OUT1 are then only what sums are rounded to: nobody wants
// them in memory.
#ifdef ACTIVATION
#define BUFFERS 3
#else
#define BUFFERS 4
#endif

struct LayerParams {
  uint outputs, first_group, has_bias, k;
  int weight_row, weight_step, bias_step, x_step;
  Rows<1> x_rows;
#ifndef ACTIVATION
  uint activation;
  int out_step;
  Rows<1> out_rows;
#endif
};

struct Params {
#ifdef ACTIVATION
  uint leads[1 + BUFFERS * LAYERS];
#else
  uint leads[BUFFERS * LAYERS];
#endif
  uint rows;
  LayerParams layers[LAYERS];
#ifdef ACTIVATION
  int out_step;
  Rows<1> out_rows;
#endif
};

// A sum with its bias, as the layer's result has it.
template <typename Out, typename Bias>
inline Out result(float sum, device const Bias *bias, constant Params &p, uint number, uint output) {
  constant LayerParams &of = p.layers[number];
  uint lead = p.leads[2 + BUFFERS * number];
  if (of.has_bias) sum += to_float(bias[lead + long(output) * of.bias_step]);
#ifdef ACTIVATED
  sum = activated(sum, of.activation);
#endif
  return from_float<Out>(sum);
}

// Where row `row` of the activations of a layer starts.
inline device const X *row_of(device const X *x, constant Params &p, uint number, uint row) {
  return x + p.leads[BUFFERS * number] + row_start(p.layers[number].x_rows, 0, min(row, p.rows - 1));
}

#define WEIGHT_ARGUMENTS(N, A, B, C)                                                               \
  device const X *x##N [[buffer(A)]], device const W##N *weight##N [[buffer(B)]],                  \
      device const BIAS##N *bias##N [[buffer(C)]]

#ifdef ACTIVATION
// What passes through a gate, stored.
inline void store(float gate, float up, device OUT *out, constant Params &p, uint row, uint output) {
  long place = p.leads[BUFFERS * LAYERS] + row_start(p.out_rows, 0, row);
  out[place + long(output) * p.out_step] = from_float<OUT>(ACTIVATION(gate) * up);
}
#else
template <typename Bias, typename Out>
inline void store(float sum, device const Bias *bias, device Out *out, constant Params &p,
                  uint number, uint row, uint output) {
  constant LayerParams &of = p.layers[number];
  long place = p.leads[3 + BUFFERS * number] + row_start(of.out_rows, 0, row);
  out[place + long(output) * of.out_step] = result<Out>(sum, bias, p, number, output);
}

#define LAYER_ARGUMENTS(N, A, B, C, D)                                                             \
  WEIGHT_ARGUMENTS(N, A, B, C), device OUT##N *out##N [[buffer(D)]]
#endif
