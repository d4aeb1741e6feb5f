// One thread per element of the result: which one of a part (x), which index (y), and which of what
// comes before them (z). TABLE, INDEX and OUT are the types of the views; where bits are only MOVED,
// TABLE and OUT are whole numbers of their size.
struct Params {
  uint leads[3];
  uint length, inner_elements;
  int axis_step;
  Rows<2> outer, picked, inner;
};

kernel void gather(device const TABLE *table [[buffer(0)]], device const INDEX *indices [[buffer(1)]],
                   device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                   uint3 at [[thread_position_in_grid]]) {
  if (at.x >= p.inner_elements) return;
  long index = indices[p.leads[1] + row_start(p.picked, 0, at.y)];
  if (index < 0) index += p.length;
  out += p.leads[2] + row_start(p.outer, 1, at.z) + row_start(p.picked, 1, at.y) + row_start(p.inner, 1, at.x);
  if (index < 0 || index >= p.length) {
    *out = OUTSIDE;
    return;
  }
  long place = p.leads[0] + row_start(p.outer, 0, at.z) + index * p.axis_step + row_start(p.inner, 0, at.x);
#if defined(MOVED)
  *out = table[place];
#elif defined(BLOCKS)
  *out = from_float<OUT>(element(table, place));
#else
  *out = from_float<OUT>(to_float(table[place]));
#endif
}
