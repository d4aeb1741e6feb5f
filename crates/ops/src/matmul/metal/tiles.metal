// Tiles of 64 × 64 of the products of a batch of matrices. A, B and OUT are the types of the views.
// Where there are few tiles and the sums are long, each tile is made in SPLIT parts along the sum,
// which `matmul_sum` adds.
struct Params {
  uint leads[3];
  uint m, k, n, batches, part;
  int a_row, a_step, b_step, b_column, out_row, out_column;
  Rows<3> starts;
};

// Sixteen elements of a factor to their places: along the sum, or, where the factor is stored
// across, along the results. `i` counts along the results from the start of the tile, of which
// there are `count`.
template <bool ACROSS, typename T, typename Put>
inline void put_factor(device const T *x, int step, int sum_step, uint count, uint k, uint end,
                       uint thread_index, Put put) {
  if (ACROSS) {
    uint row = thread_index / 4, first = thread_index % 4 * 16;
    int left = k + row < end ? int(count) - int(first) : 0;
    Sixteen of = sixteen(x + long(k + row) * sum_step + long(first) * step, step, left);
    for (uint j = 0; j < 16; j++) put(first + j, row, of.q[j / 4][j % 4]);
  } else {
    // Rows beyond the last are the last again.
    uint i = thread_index / 2, first = thread_index % 2 * 16;
    x += long(min(i, count - 1)) * step + long(k + first) * sum_step;
    Sixteen of = sixteen(x, sum_step, int(end) - int(k + first));
    for (uint j = 0; j < 16; j++) put(i, first + j, of.q[j / 4][j % 4]);
  }
}

struct PutA {
  threadgroup TileMemory &memory;
  void operator()(uint i, uint k, float x) const { memory.a[place_in_a(i, k)] = TILE_A(x); }
};
struct PutB {
  threadgroup TileMemory &memory;
  void operator()(uint i, uint k, float x) const { memory.b[place_in_b(i, k)] = TILE_B(x); }
};

#ifdef A_ACROSS
#define IS_A_ACROSS true
#else
#define IS_A_ACROSS false
#endif
#ifdef B_ACROSS
#define IS_B_ACROSS true
#else
#define IS_B_ACROSS false
#endif

kernel void matmul_tiles(device const A *a [[buffer(0)]], device const B *b [[buffer(1)]],
                         device OUT *out [[buffer(2)]], constant Params &p [[buffer(3)]],
                         uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup TileMemory memory;
  Team team = TEAM;
  uint first_column = group.x * TILE, first_row = group.y * TILE;
  uint batch = group.z % p.batches, split = group.z / p.batches;
  a += p.leads[0] + row_start(p.starts, 0, batch) + long(first_row) * p.a_row;
  b += p.leads[1] + row_start(p.starts, 1, batch) + long(first_column) * p.b_column;
  uint end = min(p.k, (split + 1) * p.part);
  PutA put_a = {memory};
  PutB put_b = {memory};
  TileSums own;
  clear(own);
  for (uint k = split * p.part; k < end; k += STEP) {
    put_factor<IS_A_ACROSS>(a, p.a_row, p.a_step, p.m - first_row, k, end, team.index, put_a);
    put_factor<IS_B_ACROSS>(b, p.b_column, p.b_step, p.n - first_column, k, end, team.index, put_b);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    add_product(own, memory, TILE_WORKER(team));
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  show(own, memory, team.simdgroup, team.index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint column = team.index % TILE;
  if (first_column + column >= p.n) return;
#ifdef SPLIT
  out += ulong(group.z) * p.m * p.n;
#else
  out += p.leads[2] + row_start(p.starts, 2, batch);
#endif
  out += long(first_column + column) * p.out_column;
  for (uint r = team.index / TILE; r < TILE && first_row + r < p.m; r += THREADS / TILE) {
    out[long(first_row + r) * p.out_row] = from_float<OUT>(memory.results[r * TILE + column]);
  }
}
