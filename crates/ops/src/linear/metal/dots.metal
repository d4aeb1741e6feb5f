// Products of OUTPUTS rows of a weight with ROWS rows of x, by the lanes of a simdgroup. Each row of
// x is summed in the same order whatever ROWS is. Where simdgroups can't add, a lane is on its own.
#ifdef NO_SIMD
#define LANES 1
#define LANE_SUM(x) (x)
#else
#define LANES 32
#define LANE_SUM(x) simd_sum(x)
#endif

struct Sums {
  float of[OUTPUTS][ROWS];
};

// Where rows are: `x` of each row of x, and the step within it.
struct Inputs {
  device const X *x[ROWS];
  int step;
};

inline float4 four_of(device const X *x, uint i, int step) {
  if (step == 1) return four(x + i);
  float4 of;
  for (uint j = 0; j < 4; j++) of[j] = to_float(x[long(i + j) * step]);
  return of;
}

template <bool IN_BLOCKS> struct Dots;

// Rows of blocks: a lane takes sixteen elements at a time. `weight` is the first of the rows, the
// others are `row_step` blocks apart.
template <> struct Dots<true> {
  template <typename B>
  static Sums of(thread const Inputs &in, device const B *weight, long row_step, int, uint outputs,
                 uint k, uint lane) {
    Sums sums = {};
    uint parts = k / 16;
    for (uint part = lane; part < parts; part += LANES) {
      uint block = part / RunsOf<B>::PARTS, within = part % RunsOf<B>::PARTS;
      uint2 runs = runs_of(B(), within) + block * Blocks<B>::LENGTH;
      for (uint o = 0; o < OUTPUTS; o++) {
        // Rows beyond the last are the last again: nobody looks at their sums.
        Levels of = levels_of(weight[min(o, outputs - 1) * row_step + block], within);
        // With minima each weight by itself: an infinity in x must not meet its own opposite.
        if (Blocks<B>::SHIFTED) settle(of);
        for (uint row = 0; row < ROWS; row++) {
          float4 a = four_of(in.x[row], runs.x, in.step), b = four_of(in.x[row], runs.x + 4, in.step);
          float4 c = four_of(in.x[row], runs.y, in.step), d = four_of(in.x[row], runs.y + 4, in.step);
          float sum = sums.of[o][row];
          sum = fma(of.scale.x, dot(of.q[0], a) + dot(of.q[1], b), sum);
          sums.of[o][row] = fma(of.scale.y, dot(of.q[2], c) + dot(of.q[3], d), sum);
        }
      }
    }
    return sums;
  }
};

// Rows of floats: a lane takes four elements at a time, and one where four are not left.
template <> struct Dots<false> {
  template <typename T>
  static Sums of(thread const Inputs &in, device const T *weight, long row_step, int step,
                 uint outputs, uint k, uint lane) {
    Sums sums = {};
    uint whole = step == 1 ? k / (4 * LANES) * (4 * LANES) : 0;
    for (uint i = 4 * lane; i < whole; i += 4 * LANES) {
      for (uint o = 0; o < OUTPUTS; o++) {
        float4 w = four(weight + min(o, outputs - 1) * row_step + i);
        for (uint row = 0; row < ROWS; row++) {
          float4 x = four_of(in.x[row], i, in.step);
          float sum = fma(w.x, x.x, sums.of[o][row]);
          sums.of[o][row] = fma(w.w, x.w, fma(w.z, x.z, fma(w.y, x.y, sum)));
        }
      }
    }
    for (uint i = whole + lane; i < k; i += LANES) {
      for (uint o = 0; o < OUTPUTS; o++) {
        float w = to_float(weight[min(o, outputs - 1) * row_step + long(i) * step]);
        for (uint row = 0; row < ROWS; row++) {
          sums.of[o][row] = fma(w, to_float(in.x[row][long(i) * in.step]), sums.of[o][row]);
        }
      }
    }
    return sums;
  }
};

template <typename T>
inline Sums dots(thread const Inputs &in, device const T *weight, long row_step, int step,
                 uint outputs, uint k, uint lane) {
  return Dots<(LengthOf<T>::COUNT > 1)>::of(in, weight, row_step, step, outputs, k, lane);
}
