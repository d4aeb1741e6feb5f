// Picks sorted by expert, in one threadgroup: what each tile of `expert_many` works on. A pick is a
// row and one of the experts chosen for it.
struct Params {
  uint leads[3];
  uint experts, used, picks, tiles;
  int id_row, id_used;
};

// The experts, and one more for ids that no expert has.
#define BINS (EXPERTS + 1)

kernel void group(device const uint *ids [[buffer(0)]], device uint *order [[buffer(1)]],
                  device Tile *tiles [[buffer(2)]], constant Params &p [[buffer(3)]], TEAM_ARGUMENTS) {
  threadgroup atomic_uint counts[BINS];
  threadgroup uint starts[BINS], first_tiles[BINS], used_tiles[1];
  Team team = TEAM;
  ids += p.leads[0];
  for (uint bin = team.index; bin < BINS; bin += team.threads) {
    atomic_store_explicit(&counts[bin], 0, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint pick = team.index; pick < p.picks; pick += team.threads) {
    uint id = ids[long(pick / p.used) * p.id_row + long(pick % p.used) * p.id_used];
    atomic_fetch_add_explicit(&counts[min(id, uint(EXPERTS))], 1, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (team.index == 0) {
    uint start = 0, tile = 0;
    for (uint bin = 0; bin < BINS; bin++) {
      uint count = atomic_load_explicit(&counts[bin], memory_order_relaxed);
      starts[bin] = start;
      first_tiles[bin] = tile;
      start += count;
      tile += (count + TILE - 1) / TILE;
    }
    used_tiles[0] = tile;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint bin = team.index; bin < BINS; bin += team.threads) {
    uint count = atomic_load_explicit(&counts[bin], memory_order_relaxed);
    for (uint done = 0; done < count; done += TILE) {
      tiles[first_tiles[bin] + done / TILE] =
          Tile{bin, starts[bin] + done, min(count - done, uint(TILE))};
    }
  }
  for (uint tile = used_tiles[0] + team.index; tile < p.tiles; tile += team.threads) {
    tiles[tile] = Tile{0, 0, 0};
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint bin = team.index; bin < BINS; bin += team.threads) {
    atomic_store_explicit(&counts[bin], starts[bin], memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  // In any order: each pick is computed by itself.
  for (uint pick = team.index; pick < p.picks; pick += team.threads) {
    uint id = ids[long(pick / p.used) * p.id_row + long(pick % p.used) * p.id_used];
    uint place = atomic_fetch_add_explicit(&counts[min(id, uint(EXPERTS))], 1, memory_order_relaxed);
    order[place] = pick;
  }
}
