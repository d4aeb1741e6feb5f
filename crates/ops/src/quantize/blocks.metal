// Block formats to floats, one element per thread. Compiled with FLOAT, the type of the result (ushort for
// bfloat where the GPU lacks it), RANK, the number of axes, FORMAT, its LEN elements and its BYTES.
#include <metal_stdlib>
using namespace metal;

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

static float half_at(device const uchar *p) {
    return float(as_type<half>(ushort(uint(p[0]) | uint(p[1]) << 8)));
}

// The low or high half of byte `i` of 16.
static float nibble(device const uchar *p, uint i) {
    uchar byte = p[i % 16u];
    return float(i < 16u ? byte & 15 : byte >> 4);
}

static float fifth(device const uchar *p, uint i) {
    return float(uint(p[i / 8u]) >> (i % 8u) & 1u) * 16.0f;
}

static float q4_0(device const uchar *b, uint i) { return half_at(b) * (nibble(b + 2, i) - 8.0f); }

static float q4_1(device const uchar *b, uint i) {
    return half_at(b) * nibble(b + 4, i) + half_at(b + 2);
}

static float q5_0(device const uchar *b, uint i) {
    return half_at(b) * (nibble(b + 6, i) + fifth(b + 2, i) - 16.0f);
}

static float q5_1(device const uchar *b, uint i) {
    return half_at(b) * (nibble(b + 8, i) + fifth(b + 4, i)) + half_at(b + 2);
}

static float q8_0(device const uchar *b, uint i) { return half_at(b) * float(as_type<char>(b[2u + i])); }

// The scale and the minimum of group `g` of a Q4_K or Q5_K block: 6 bits each, of 12 bytes.
static float2 k_scale(device const uchar *b, uint g) {
    device const uchar *p = b + 4;
    uint scale = g < 4u ? p[g] & 63 : uint(p[g + 4u] & 15) | uint(p[g - 4u] >> 6) << 4;
    uint low = g < 4u ? p[g + 4u] & 63 : uint(p[g + 4u] >> 4) | uint(p[g] >> 6) << 4;
    return float2(half_at(b) * float(scale), half_at(b + 2) * float(low));
}

static float q4_k(device const uchar *b, uint i) {
    float2 scale = k_scale(b, i / 32u);
    uchar byte = b[16u + i / 64u * 32u + i % 32u];
    return scale.x * float(i / 32u % 2u == 0u ? byte & 15 : byte >> 4) - scale.y;
}

static float q5_k(device const uchar *b, uint i) {
    float2 scale = k_scale(b, i / 32u);
    uchar byte = b[48u + i / 64u * 32u + i % 32u];
    uint level = uint(i / 32u % 2u == 0u ? byte & 15 : byte >> 4);
    level |= (uint(b[16u + i % 32u]) >> (i / 32u) & 1u) << 4;
    return scale.x * float(level) - scale.y;
}

static float q6_k(device const uchar *b, uint i) {
    uint part = i / 128u, k = i % 128u / 32u, j = i % 32u;
    uint low = uint(b[64u * part + 32u * (k % 2u) + j]) >> (4u * (k / 2u)) & 15u;
    uint level = low | (uint(b[128u + 32u * part + j]) >> (2u * k) & 3u) << 4;
    float scale = half_at(b + 208) * float(as_type<char>(b[192u + 8u * part + 2u * k + j / 16u]));
    return scale * (float(level) - 32.0f);
}

[[kernel, max_total_threads_per_threadgroup(256)]] void dequantize(
    device const uchar *x [[buffer(0)]],
    device FLOAT *out [[buffer(1)]],
    constant Params &params [[buffer(2)]],
    uint number [[thread_position_in_grid]]) {
    if (number >= params.count) return;
    uint rest = number;
    long from = params.x_lead, to = params.out_lead;
    for (int axis = RANK - 1; axis >= 0; --axis) {
        uint i = axis == 0 ? rest : rest % params.sizes[axis];
        rest /= params.sizes[axis];
        from += long(i) * params.x_steps[axis];
        to += long(i) * params.out_steps[axis];
    }
    float value = FORMAT(x + from / LEN * BYTES, uint(from % LEN));
    store(out + to, value);
}
