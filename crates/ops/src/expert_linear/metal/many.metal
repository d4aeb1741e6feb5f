// Many rows of x: tiles of up to 64 picks of one expert by 64 outputs, so that an expert is read once
// per tile. X, W and OUT are the types of the views.
struct Params {
  uint leads[5];
  uint experts, used, k, outputs;
  int x_row, x_used, x_step, weight_expert, weight_row, weight_step;
  int out_row, out_used, out_step;
};

kernel void expert_many(device const X *x [[buffer(0)]], device const W *weight [[buffer(1)]],
                        device const uint *order [[buffer(2)]], device const Tile *tiles [[buffer(3)]],
                        device OUT *out [[buffer(4)]], constant Params &p [[buffer(5)]],
                        uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  threadgroup TileMemory memory;
  Team team = TEAM;
  Tile tile = tiles[group.y];
  if (tile.count == 0) return;
  uint first_output = group.x * TILE;
  order += tile.first;
  out += p.leads[4];
  uint column = team.index % TILE, output = first_output + column;
  if (tile.expert >= p.experts) {
    if (output >= p.outputs) return;
    for (uint r = team.index / TILE; r < tile.count; r += THREADS / TILE) {
      uint pick = order[r];
      out[long(pick / p.used) * p.out_row + long(pick % p.used) * p.out_used +
          long(output) * p.out_step] = from_float<OUT>(NAN);
    }
    return;
  }
  // Two threads per row of each tile. Rows beyond the last are the last again.
  uint i = team.index / 2, part = team.index % 2;
  uint pick = order[min(i, tile.count - 1)], own_output = min(first_output + i, p.outputs - 1);
  x += p.leads[0] + long(pick / p.used) * p.x_row + long(pick % p.used) * p.x_used;
  weight += p.leads[1] / LENGTH_OF(W) + long(tile.expert) * p.weight_expert +
            long(own_output) * p.weight_row;
  WeightRow<W> brought = {weight, p.weight_step};
  TileSums own;
  clear(own);
  for (uint k = 0; k < p.k; k += STEP) {
    uint first = k + 16 * part;
    Sixteen of = sixteen(x + long(first) * p.x_step, p.x_step, int(p.k) - int(first));
    for (uint j = 0; j < 16; j++) {
      memory.a[place_in_a(i, 16 * part + j)] = TILE_A(of.q[j / 4][j % 4]);
    }
    brought.put(k, part, p.k, i, memory);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    add_product(own, memory, TILE_WORKER(team));
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  show(own, memory, team.simdgroup, team.index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (output >= p.outputs) return;
  for (uint r = team.index / TILE; r < tile.count; r += THREADS / TILE) {
    uint pick = order[r];
    out[long(pick / p.used) * p.out_row + long(pick % p.used) * p.out_used +
        long(output) * p.out_step] = from_float<OUT>(memory.results[r * TILE + column]);
  }
}
