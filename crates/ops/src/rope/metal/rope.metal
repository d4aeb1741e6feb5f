// One thread per pair of a head, and one per element behind the pairs. X, OUT and POSITION are the
// types of the views.
struct Params {
  uint leads[4];
  uint heads, size, pairs, neighbours;
  int x_row, x_head, x_step, out_row, out_head, out_step, position_step, frequency_step;
  float magnitude;
};

kernel void rope(device const X *x [[buffer(0)]], device const POSITION *positions [[buffer(1)]],
                 device const float *frequencies [[buffer(2)]], device OUT *out [[buffer(3)]],
                 constant Params &p [[buffer(4)]], uint3 at [[thread_position_in_grid]]) {
  uint i = at.x, head = at.y, row = at.z;
  if (i >= p.size - p.pairs) return;
  x += p.leads[0] + long(row) * p.x_row + long(head) * p.x_head;
  positions += p.leads[1];
  frequencies += p.leads[2];
  out += p.leads[3] + long(row) * p.out_row + long(head) * p.out_head;
  if (i >= p.pairs) {
    uint element = i + p.pairs;
    out[long(element) * p.out_step] = from_float<OUT>(to_float(x[long(element) * p.x_step]));
    return;
  }
  uint2 pair = elements_of_pair(i, p.pairs, p.neighbours);
  float a = to_float(x[long(pair.x) * p.x_step]), b = to_float(x[long(pair.y) * p.x_step]);
  Turn by = turn(positions[long(row) * p.position_step], frequencies[long(i) * p.frequency_step]);
  out[long(pair.x) * p.out_step] = from_float<OUT>((a * by.cos - b * by.sin) * p.magnitude);
  out[long(pair.y) * p.out_step] = from_float<OUT>((b * by.cos + a * by.sin) * p.magnitude);
}
