// One block per thread. Compiled behind the formats' encoders with FLOAT, the type of the numbers (ushort for bfloat
// where the GPU lacks it), RANK, the number of axes, FORMAT, its LEN elements and its BYTES.
struct Params {
    uint count;
    uint x_lead;
    uint out_lead;
    uint sizes[RANK];
    int x_steps[RANK];
    int out_steps[RANK];
};

static float load(ushort x) { return as_type<float>(uint(x) << 16); }
template <typename T> static float load(T x) { return float(x); }

[[kernel, max_total_threads_per_threadgroup(256)]] void quantize(
    device const FLOAT *x [[buffer(0)]],
    device uchar *out [[buffer(1)]],
    constant Params &params [[buffer(2)]],
    uint number [[thread_position_in_grid]]) {
    if (number >= params.count / LEN) return;
    uint rest = number * LEN;
    long from = params.x_lead, to = params.out_lead;
    for (int axis = RANK - 1; axis >= 0; --axis) {
        uint i = axis == 0 ? rest : rest % params.sizes[axis];
        rest /= params.sizes[axis];
        from += long(i) * params.x_steps[axis];
        to += long(i) * params.out_steps[axis];
    }
    float values[LEN];
    for (uint i = 0u; i < LEN; ++i) values[i] = load(x[from + long(i) * params.x_steps[RANK - 1]]);
    FORMAT(values, out + to / LEN * BYTES);
}
