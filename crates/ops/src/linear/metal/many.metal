// Many rows of x: tiles of 64 rows by 64 outputs. Layers share a launch, each with tiles of its own; of
// a gate and what passes through it, a tile has 32 outputs each.

template <typename W>
inline WeightRow<W> weight_row(device const W *weight, constant Params &p, uint number, uint output) {
  constant LayerParams &of = p.layers[number];
  weight += p.leads[1 + BUFFERS * number] / LENGTH_OF(W);
  return WeightRow<W>{weight + long(min(output, of.outputs - 1)) * of.weight_row, of.weight_step};
}

// Adds the products of a tile of a layer's x with the rows of weights that threads bring, two threads a
// row.
template <typename Weights>
inline void add_tiles(thread TileSums &own, device const X *x, thread const Weights &weights,
                      constant Params &p, uint number, uint first_row, Team team,
                      threadgroup TileMemory &memory) {
  uint i = team.index / 2, part = team.index % 2, all = p.layers[number].k;
  int step = p.layers[number].x_step;
  x = row_of(x, p, number, first_row + i);
  for (uint k = 0; k < all; k += STEP) {
    uint first = k + 16 * part;
    Sixteen of = sixteen(x + long(first) * step, step, int(all) - int(first));
    for (uint j = 0; j < 16; j++) {
      memory.a[place_in_a(i, 16 * part + j)] = TILE_A(of.q[j / 4][j % 4]);
    }
    weights.put(k, part, all, i, memory);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    add_product(own, memory, TILE_WORKER(team));
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}

#ifdef ACTIVATION
#define SHARE (TILE / 2)
// Half of the simdgroups bring rows of the gate, the others those of what passes.
struct BothRows {
  WeightRow<W0> gate;
  WeightRow<W1> up;

  void put(uint k, uint part, uint length, uint i, threadgroup TileMemory &memory) const {
    if (i < SHARE) {
      gate.put(k, part, length, i, memory);
    } else {
      up.put(k, part, length, i, memory);
    }
  }
};

kernel void linear_gated_many(WEIGHT_ARGUMENTS(0, 0, 1, 2), WEIGHT_ARGUMENTS(1, 3, 4, 5),
                              device OUT *out [[buffer(6)]], constant Params &p [[buffer(7)]],
                              uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup TileMemory memory;
  Team team = TEAM;
  uint first_output = group.x * SHARE, first_row = group.y * TILE, all = p.layers[0].outputs;
  uint brought = first_output + team.index / 2 % SHARE;
  BothRows rows = {weight_row(weight0, p, 0, brought), weight_row(weight1, p, 1, brought)};
  TileSums own;
  clear(own);
  add_tiles(own, x0, rows, p, 0, first_row, team, memory);
  show(own, memory, team.simdgroup, team.index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint column = team.index % SHARE, output = first_output + column;
  if (output >= all) return;
  for (uint r = team.index / SHARE; r < TILE && first_row + r < p.rows; r += THREADS / SHARE) {
    threadgroup const float *sums = memory.results + r * TILE + column;
    OUT0 gate = result<OUT0>(sums[0], bias0, p, 0, output);
    OUT1 up = result<OUT1>(sums[SHARE], bias1, p, 1, output);
    store(to_float(gate), to_float(up), out, p, first_row + r, output);
  }
}
#else
template <typename W, typename Bias, typename Out>
inline void tile(device const X *x, device const W *weight, device const Bias *bias, device Out *out,
                 constant Params &p, uint number, uint3 group, Team team,
                 threadgroup TileMemory &memory) {
  uint first_output = (group.x - p.layers[number].first_group) * TILE, first_row = group.y * TILE;
  WeightRow<W> row = weight_row(weight, p, number, first_output + team.index / 2);
  TileSums own;
  clear(own);
  add_tiles(own, x, row, p, number, first_row, team, memory);
  show(own, memory, team.simdgroup, team.index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint column = team.index % TILE, output = first_output + column;
  if (output >= p.layers[number].outputs) return;
  for (uint r = team.index / TILE; r < TILE && first_row + r < p.rows; r += THREADS / TILE) {
    store(memory.results[r * TILE + column], bias, out, p, number, first_row + r, output);
  }
}

kernel void linear_many(LAYER_ARGUMENTS(0, 0, 1, 2, 3),
#if LAYERS > 1
                        LAYER_ARGUMENTS(1, 4, 5, 6, 7),
#endif
#if LAYERS > 2
                        LAYER_ARGUMENTS(2, 8, 9, 10, 11),
#endif
#if LAYERS > 3
                        LAYER_ARGUMENTS(3, 12, 13, 14, 15),
#endif
                        constant Params &p [[buffer(4 * LAYERS)]],
                        uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup TileMemory memory;
  Team team = TEAM;
#if LAYERS > 3
  if (group.x >= p.layers[3].first_group) {
    return tile(x3, weight3, bias3, out3, p, 3, group, team, memory);
  }
#endif
#if LAYERS > 2
  if (group.x >= p.layers[2].first_group) {
    return tile(x2, weight2, bias2, out2, p, 2, group, team, memory);
  }
#endif
#if LAYERS > 1
  if (group.x >= p.layers[1].first_group) {
    return tile(x1, weight1, bias1, out1, p, 1, group, team, memory);
  }
#endif
  tile(x0, weight0, bias0, out0, p, 0, group, team, memory);
}
#endif
