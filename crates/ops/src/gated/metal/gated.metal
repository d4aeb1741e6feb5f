// One thread per element, in rows of the last dimension. GATE, UP and OUT are the types of the
// views, ACTIVATION is the function.
struct Params {
  uint leads[3];
  uint width;
  int gate_step, up_step, out_step;
  Rows<3> rows;
};

kernel void gated(device const GATE *gate [[buffer(0)]], device const UP *up [[buffer(1)]],
                  device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                  uint2 at [[thread_position_in_grid]]) {
  if (at.x >= p.width) return;
  gate += p.leads[0] + row_start(p.rows, 0, at.y) + long(at.x) * p.gate_step;
  up += p.leads[1] + row_start(p.rows, 1, at.y) + long(at.x) * p.up_step;
  out += p.leads[2] + row_start(p.rows, 2, at.y) + long(at.x) * p.out_step;
  *out = from_float<OUT>(ACTIVATION(to_float(*gate)) * to_float(*up));
}
