// Floats to block formats: the same search for the nearest block as on the CPU, step by step, so that the
// blocks are the same. There is one function for each format, from its numbers to the bytes of its block.
// Products that are summed have a name of their own: fused into one operation they would round differently.
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)

// What a block is like before the search: not finite, nothing, or its largest magnitude.
constant float NOT_FINITE = -2.0f;
constant float ZERO = -1.0f;

static float range(thread const float *x, uint len) {
    uint top = 0u;
    for (uint i = 0u; i < len; ++i) top = max(top, as_type<uint>(x[i]) & 0x7fffffffu);
    float peak = as_type<float>(top);
    return !isfinite(peak) ? NOT_FINITE : peak < 1e-12f ? ZERO : peak;
}

static float level_of(float x, float inverse, float low, float high) {
    float y = min(max(x * inverse, low - 1.0f), high + 1.0f);
    return min(max(rint(y), low), high);
}

static float inverse(float x) {
    float y = 1.0f / x;
    return isfinite(y) ? y : 0.0f;
}

static float put_half(device uchar *to, float x) {
    half h = half(isnan(x) ? x : clamp(x, -65504.0f, 65504.0f));
    ushort bits = as_type<ushort>(h);
    to[0] = uchar(bits & 255);
    to[1] = uchar(bits >> 8);
    return float(h);
}

// The step and what it gains.
static float2 refit_symmetric(thread const float *x, uint len, float n, float2 best, float scale) {
    float xq = 0.0f, qq = 0.0f;
    for (uint i = 0u; i < len; ++i) {
        float q = level_of(x[i], scale, -n, n - 1.0f);
        float product = x[i] * q;
        xq += product;
        qq += q * q;
    }
    float square = xq * xq;
    bool better = qq > 0.0f && square > best.y * qq;
    return better ? float2(xq / qq, square / qq) : best;
}

static float symmetric(thread const float *x, uint len, float n) {
    float peak = 0.0f;
    for (uint i = 0u; i < len; ++i) {
        if (fabs(x[i]) > fabs(peak)) peak = x[i];
    }
    if (fabs(peak) < 1e-9f) return 0.0f;
    float2 best = float2(-peak / n, 0.0f);
    for (int step = -12; step <= 8; ++step) {
        float more = 0.1f * float(step);
        best = refit_symmetric(x, len, n, best, -(n + more) / peak);
    }
    for (int step = -8; step <= 4; ++step) {
        float more = 0.1f * float(step);
        best = refit_symmetric(x, len, n, best, (n - 1.0f + more) / peak);
    }
    for (int i = 0; i < 2; ++i) best = refit_symmetric(x, len, n, best, inverse(best.x));
    return best.x;
}

// The step, the start and what they gain.
static float3 refit_affine(thread const float *x, uint len, float n, bool below_zero, float x_sum,
                           float3 best, float scale, float low) {
    float q1 = 0.0f, q2 = 0.0f, xq = 0.0f, count = float(len);
    for (uint i = 0u; i < len; ++i) {
        float q = level_of(x[i] - low, scale, 0.0f, n);
        q1 += q;
        q2 += q * q;
        float product = x[i] * q;
        xq += product;
    }
    float det = count * q2 - q1 * q1;
    if (det <= 0.0f) return best;
    float a = count * xq, b = x_sum * q1;
    float d = (a - b) / det;
    a = q2 * x_sum;
    b = q1 * xq;
    float m = (a - b) / det;
    if (below_zero && m > 0.0f) {
        d = xq / q2;
        m = 0.0f;
    }
    a = d * xq;
    b = m * x_sum;
    float gain = a + b;
    return gain > best.z ? float3(d, m, gain) : best;
}

static float2 affine(thread const float *x, uint len, float n, bool below_zero) {
    float low = INFINITY, high = -INFINITY, x_sum = 0.0f;
    for (uint i = 0u; i < len; ++i) {
        low = min(low, x[i]);
        high = max(high, x[i]);
        x_sum += x[i];
    }
    if (below_zero) low = min(low, 0.0f);
    float width = high - low;
    if (width < 1e-9f) return float2(0.0f, low);
    float3 best = float3(width / n, low, -INFINITY);
    for (int step = -10; step <= 10; ++step) {
        float more = 0.1f * float(step);
        best = refit_affine(x, len, n, below_zero, x_sum, best, (n + more) / width, low);
    }
    for (int i = 0; i < 2; ++i) {
        best = refit_affine(x, len, n, below_zero, x_sum, best, inverse(best.x), best.y);
    }
    return best.xy;
}

static void scaled(thread float *x, uint len, float peak) {
    float by = 1.0f / peak;
    for (uint i = 0u; i < len; ++i) x[i] *= by;
}
