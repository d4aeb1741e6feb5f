// Many rows of x: tiles of 64 rows by 64 outputs. X, W and OUT are the types of the views, BIAS
// where there is one.
struct Params {
  uint leads[4];
  uint rows, k, outputs;
  int x_step, weight_row, weight_step, bias_step, out_step;
  Rows<2> row_starts;
};

// Sixteen elements of a row of the weight, from `k + 16 * part` on, to their places in the tile.
#ifdef BLOCKS
template <typename B>
inline void put_weights(device const B *row, int, uint k, uint part, uint, uint i,
                        threadgroup TileMemory &memory) {
  device const B &block = row[k / Blocks<B>::LENGTH];
  if (Blocks<B>::LENGTH == 32) {
    // Both runs of the part are within the step.
    Levels of = levels_of(block, part);
    uint2 runs = runs_of(B(), part);
    for (uint j = 0; j < 8; j++) {
      float first = fma(of.scale.x, of.q[j / 4][j % 4], of.shift.x);
      float second = fma(of.scale.y, of.q[2 + j / 4][j % 4], of.shift.y);
      memory.b[place_in_b(i, runs.x + j)] = TILE_B(first);
      memory.b[place_in_b(i, runs.y + j)] = TILE_B(second);
    }
  } else {
    float4 q[4];
    Part by = part_of(block, k % Blocks<B>::LENGTH / 16 + part, q);
    for (uint j = 0; j < 16; j++) {
      memory.b[place_in_b(i, 16 * part + j)] = TILE_B(fma(by.scale, q[j / 4][j % 4], by.shift));
    }
  }
}
#else
template <typename T>
inline void put_weights(device const T *row, int step, uint k, uint part, uint length, uint i,
                        threadgroup TileMemory &memory) {
  uint first = k + 16 * part;
  Sixteen of = sixteen(row + long(first) * step, step, int(length) - int(first));
  for (uint j = 0; j < 16; j++) {
    memory.b[place_in_b(i, 16 * part + j)] = TILE_B(of.q[j / 4][j % 4]);
  }
}
#endif

kernel void linear_many(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                        device const BIAS *bias [[buffer(2)]], device OUT *out [[buffer(3)]],
                        constant Params &p [[buffer(4)]],
                        uint2 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup TileMemory memory;
  Team team = TEAM;
  uint first_output = group.x * TILE, first_row = group.y * TILE;
  // Two threads per row of each tile. Rows beyond the last are the last again.
  uint i = team.index / 2, part = team.index % 2;
  uint row = min(first_row + i, p.rows - 1), output = min(first_output + i, p.outputs - 1);
  x += p.leads[0] + row_start(p.row_starts, 0, row);
  weight += p.leads[1] / LENGTH_OF(W) + long(output) * p.weight_row;
  TileSums own;
  clear(own);
  for (uint k = 0; k < p.k; k += STEP) {
    uint first = k + 16 * part;
    Sixteen of = sixteen(x + long(first) * p.x_step, p.x_step, int(p.k) - int(first));
    for (uint j = 0; j < 16; j++) {
      memory.a[place_in_a(i, 16 * part + j)] = TILE_A(of.q[j / 4][j % 4]);
    }
    put_weights(weight, p.weight_step, k, part, p.k, i, memory);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    add_product(own, memory, TILE_WORKER(team));
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  show(own, memory, team.simdgroup, team.index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint column = team.index % TILE;
  output = first_output + column;
  if (output >= p.outputs) return;
#ifdef HAS_BIAS
  float added = to_float(bias[p.leads[2] + long(output) * p.bias_step]);
#else
  float added = 0;
#endif
  out += p.leads[3] + long(output) * p.out_step;
  for (uint r = team.index / TILE; r < TILE && first_row + r < p.rows; r += THREADS / TILE) {
    out[row_start(p.row_starts, 1, first_row + r)] =
        from_float<OUT>(memory.results[r * TILE + column] + added);
  }
}
