// Block formats to floats, sixteen elements per thread. Compiled with FLOAT, the type of the result (ushort for
// bfloat where the GPU lacks it), RANK, the number of axes, and FORMAT, the type of a block.
#pragma METAL fp contract(off)

struct Params {
    uint count;
    uint x_lead;
    uint out_lead;
    uint sizes[RANK];
    int x_steps[RANK];
    int out_steps[RANK];
};

static void store(device ushort *to, float x) {
    uint bits = as_type<uint>(x);
    *to = isnan(x) ? ushort(bits >> 16 | 0x40u) : ushort((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

template <typename T> static void store(device T *to, float x) { *to = T(x); }

[[kernel, max_total_threads_per_threadgroup(256)]] void dequantize(
    device const FORMAT *x [[buffer(0)]],
    device FLOAT *out [[buffer(1)]],
    constant Params &params [[buffer(2)]],
    uint number [[thread_position_in_grid]]) {
    if (number >= params.count / 16) return;
    uint rest = number * 16;
    long from = params.x_lead, to = params.out_lead;
    for (int axis = RANK - 1; axis >= 0; --axis) {
        uint i = axis == 0 ? rest : rest % params.sizes[axis];
        rest /= params.sizes[axis];
        from += long(i) * params.x_steps[axis];
        to += long(i) * params.out_steps[axis];
    }
    float4 q[4];
    uint within = uint(from) & (Blocks<FORMAT>::LENGTH - 1);
    Part by = part_of(x[from >> Blocks<FORMAT>::SHIFT], within / 16, q);
    for (uint i = 0; i < 16; ++i) {
        float value = by.scale * q[i / 4][i % 4];
        if (Blocks<FORMAT>::SHIFTED) value += by.shift;
        store(out + to + long(i) * params.out_steps[RANK - 1], value);
    }
}
