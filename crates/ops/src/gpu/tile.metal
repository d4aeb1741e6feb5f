// A tile of 64 × 64 results of a matrix product, by four simdgroups of 32 × 32 each. The factors
// come in steps of 32 through threadgroup memory; sums are floats and stay in registers.
//
// TILE_A and TILE_B are the types the factors are kept as: half where that loses nothing that
// counts, float otherwise. Tiles are kept as rows of 32 along the sum, or, where A_ACROSS or
// B_ACROSS is defined, as 32 rows along the results.
#define TILE 64
#define STEP 32
#define THREADS 128
// Who adds products: simdgroups, or threads where simdgroups have no matrices.
#ifdef NO_MATRIX
#define TILE_WORKER(team) team.index
#else
#define TILE_WORKER(team) team.simdgroup
#endif

#ifdef A_ACROSS
#define A_STRIDE (TILE + 8)
#define A_ROWS STEP
#else
#define A_STRIDE (STEP + 8)
#define A_ROWS TILE
#endif
#ifdef B_ACROSS
#define B_STRIDE (TILE + 8)
#define B_ROWS STEP
#else
#define B_STRIDE (STEP + 8)
#define B_ROWS TILE
#endif

// Both factors, and later the results, share the memory.
union TileMemory {
  struct {
    TILE_A a[A_ROWS * A_STRIDE];
    TILE_B b[B_ROWS * B_STRIDE];
  };
  float results[TILE * TILE];
};

// The place of an element of a factor: `i` along the results, `k` along the sum.
inline uint place_in_a(uint i, uint k) {
#ifdef A_ACROSS
  return k * A_STRIDE + i;
#else
  return i * A_STRIDE + k;
#endif
}
inline uint place_in_b(uint i, uint k) {
#ifdef B_ACROSS
  return k * B_STRIDE + i;
#else
  return i * B_STRIDE + k;
#endif
}

#ifndef NO_MATRIX
struct TileSums {
  simdgroup_float8x8 sums[4][4];
};

inline void clear(thread TileSums &own) {
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) own.sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
  }
}

// Adds the product of the tiles in memory.
inline void add_product(thread TileSums &own, threadgroup const TileMemory &memory, uint simdgroup) {
  uint first_row = simdgroup / 2 * 32, first_column = simdgroup % 2 * 32;
  for (uint k = 0; k < STEP; k += 8) {
    simdgroup_matrix<TILE_A, 8, 8> a[4];
    simdgroup_matrix<TILE_B, 8, 8> b[4];
    for (uint i = 0; i < 4; i++) {
#ifdef A_ACROSS
      simdgroup_load(a[i], memory.a + place_in_a(first_row + 8 * i, k), A_STRIDE, ulong2(0), true);
#else
      simdgroup_load(a[i], memory.a + place_in_a(first_row + 8 * i, k), A_STRIDE);
#endif
#ifdef B_ACROSS
      simdgroup_load(b[i], memory.b + place_in_b(first_column + 8 * i, k), B_STRIDE);
#else
      simdgroup_load(b[i], memory.b + place_in_b(first_column + 8 * i, k), B_STRIDE, ulong2(0), true);
#endif
    }
    for (uint i = 0; i < 4; i++) {
      for (uint j = 0; j < 4; j++) {
        simdgroup_multiply_accumulate(own.sums[i][j], a[i], b[j], own.sums[i][j]);
      }
    }
  }
}

// The sums to memory, for all to see after a barrier.
inline void show(thread TileSums &own, threadgroup TileMemory &memory, uint simdgroup, uint) {
  uint first_row = simdgroup / 2 * 32, first_column = simdgroup % 2 * 32;
  for (uint i = 0; i < 4; i++) {
    for (uint j = 0; j < 4; j++) {
      uint place = (first_row + 8 * i) * TILE + first_column + 8 * j;
      simdgroup_store(own.sums[i][j], memory.results + place, TILE);
    }
  }
}
#else
// Without matrices of simdgroups, each thread has eight rows of four results.
struct TileSums {
  float4 sums[8];
};

inline void clear(thread TileSums &own) {
  for (int i = 0; i < 8; i++) own.sums[i] = 0;
}

inline void add_product(thread TileSums &own, threadgroup const TileMemory &memory, uint thread_index) {
  uint first_row = thread_index / 16 * 8, first_column = thread_index % 16 * 4;
  for (uint k = 0; k < STEP; k++) {
    float4 b;
    for (uint j = 0; j < 4; j++) b[j] = float(memory.b[place_in_b(first_column + j, k)]);
    for (uint i = 0; i < 8; i++) {
      own.sums[i] += float(memory.a[place_in_a(first_row + i, k)]) * b;
    }
  }
}

inline void show(thread TileSums &own, threadgroup TileMemory &memory, uint, uint thread_index) {
  uint first_row = thread_index / 16 * 8, first_column = thread_index % 16 * 4;
  for (uint i = 0; i < 8; i++) {
    for (uint j = 0; j < 4; j++) {
      memory.results[(first_row + i) * TILE + first_column + j] = own.sums[i][j];
    }
  }
}
#endif

// Sixteen neighbours as floats; from `left` on there are none, which count as zeros.
struct Sixteen {
  float4 q[4];
};

template <typename T> inline Sixteen sixteen(device const T *x, int step, int left) {
  Sixteen of;
  if (step == 1 && left >= 16) {
    for (int i = 0; i < 4; i++) of.q[i] = four(x + 4 * i);
  } else {
    for (int i = 0; i < 16; i++) of.q[i / 4][i % 4] = i < left ? to_float(x[long(i) * step]) : 0;
  }
  return of;
}
