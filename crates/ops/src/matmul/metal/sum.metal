// What comes after products in parts: one thread per result adds them. OUT is the type of the view.
struct Params {
  uint leads[2];
  uint m, n, batches, splits;
  int out_row, out_column;
  Rows<1> starts;
};

kernel void matmul_sum(device const float *parts [[buffer(0)]], device OUT *out [[buffer(1)]],
                       constant Params &p [[buffer(2)]], uint3 at [[thread_position_in_grid]]) {
  if (at.x >= p.n) return;
  float sum = 0;
  for (uint split = 0; split < p.splits; split++) {
    sum += parts[(ulong(split * p.batches + at.z) * p.m + at.y) * p.n + at.x];
  }
  out += p.leads[1] + row_start(p.starts, 0, at.z);
  out[long(at.y) * p.out_row + long(at.x) * p.out_column] = from_float<OUT>(sum);
}
