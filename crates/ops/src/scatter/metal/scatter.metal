// One thread per element of what is written: which one of a part (x), which index (y), and which of
// what comes before them (z). For a table of blocks, one thread per block. X, INDEX and TABLE are
// the types of the views; where bits are only MOVED, X and TABLE are whole numbers of their size;
// blocks are PAIRS of bytes, made by the function ENCODED where x is not in blocks itself.
struct Params {
  uint leads[3];
  uint length, indices, inner_elements;
  int axis_step, x_axis_step, index_step;
  Rows<2> outer, inner;
};

inline long place_of(long index, uint length) { return index < 0 ? index + length : index; }

// Where part `i` goes; below 0 if that is nowhere, or if a later part goes there too.
template <typename I> inline long place(device const I *indices, uint i, constant Params &p) {
  long own = place_of(indices[long(i) * p.index_step], p.length);
  if (own < 0 || own >= p.length) return -1;
  for (uint j = i + 1; j < p.indices; j++) {
    if (place_of(indices[long(j) * p.index_step], p.length) == own) return -1;
  }
  return own;
}

kernel void scatter(device const X *x [[buffer(0)]], device const INDEX *indices [[buffer(1)]],
                    device TABLE *table [[buffer(2)]], constant Params &p [[buffer(3)]],
                    uint3 at [[thread_position_in_grid]]) {
  if (at.x >= p.inner_elements) return;
  long to = place(indices + p.leads[1], at.y, p);
  if (to < 0) return;
#ifdef BLOCK_LENGTH
  uint first = at.x * BLOCK_LENGTH;
#else
  uint first = at.x;
#endif
  long from = p.leads[0] + row_start(p.outer, 0, at.z) + long(at.y) * p.x_axis_step;
  long place = p.leads[2] + row_start(p.outer, 1, at.z) + to * p.axis_step + row_start(p.inner, 1, first);
#if defined(ENCODED)
  float values[BLOCK_LENGTH];
  for (uint i = 0; i < BLOCK_LENGTH; i++) {
    values[i] = to_float(x[from + row_start(p.inner, 0, first + i)]);
  }
  ENCODED(values, (device uchar *)(table + place / BLOCK_LENGTH * PAIRS));
#elif defined(BLOCK_LENGTH)
  // Rows start at blocks, also those below the first.
  table += place / BLOCK_LENGTH * PAIRS;
  x += (from + row_start(p.inner, 0, first)) / BLOCK_LENGTH * PAIRS;
  for (uint i = 0; i < PAIRS; i++) table[i] = x[i];
#elif defined(MOVED)
  table[place] = x[from + row_start(p.inner, 0, first)];
#else
  table[place] = from_float<TABLE>(to_float(x[from + row_start(p.inner, 0, first)]));
#endif
}
