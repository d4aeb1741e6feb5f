// A thread per element. TYPE are whole numbers of the size of the elements, INDEX the type of the indices.
struct Params {
  uint leads[3];
  uint length, count;
  int axis_step;
  Rows<3> places;
};

kernel void take_along(device const TYPE *x [[buffer(0)]], device const INDEX *indices [[buffer(1)]],
                       device TYPE *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                       uint3 at [[thread_position_in_grid]]) {
  if (at.x >= p.count) return;
  long index = indices[p.leads[1] + row_start(p.places, 1, at.x)];
  if (index < 0) index += p.length;
  TYPE found = TYPE(OUTSIDE);
  if (index >= 0 && index < p.length) {
    found = x[p.leads[0] + row_start(p.places, 0, at.x) + index * p.axis_step];
  }
  out[p.leads[2] + row_start(p.places, 2, at.x)] = found;
}
