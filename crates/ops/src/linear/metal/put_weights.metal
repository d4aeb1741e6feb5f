// Sixteen elements of a row of a weight, from `k + 16 * part` on, to their places in row `i` of the
// tile.
template <bool IN_BLOCKS> struct Put;

template <> struct Put<true> {
  template <typename B>
  static void weights(device const B *row, int, uint k, uint part, uint, uint i,
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
};

template <> struct Put<false> {
  template <typename T>
  static void weights(device const T *row, int step, uint k, uint part, uint length, uint i,
                      threadgroup TileMemory &memory) {
    uint first = k + 16 * part;
    Sixteen of = sixteen(row + long(first) * step, step, int(length) - int(first));
    for (uint j = 0; j < 16; j++) {
      memory.b[place_in_b(i, 16 * part + j)] = TILE_B(of.q[j / 4][j % 4]);
    }
  }
};

// The row of a weight that a thread brings to the tile. Rows beyond the last are the last again.
template <typename T> struct WeightRow {
  device const T *row;
  int step;

  void put(uint k, uint part, uint length, uint i, threadgroup TileMemory &memory) const {
    Put<(LengthOf<T>::COUNT > 1)>::weights(row, step, k, part, length, i, memory);
  }
};
