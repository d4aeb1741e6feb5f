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

// Levels -n..n of 32 values, plus n, in the place of the values; writes the scale.
static void symmetric_levels(thread float *x, float n, device uchar *b) {
    float peak = range(x, 32u);
    if (peak < 0.0f) {
        put_half(b, peak == NOT_FINITE ? NAN : 0.0f);
        for (uint i = 0u; i < 32u; ++i) x[i] = n;
        return;
    }
    scaled(x, 32u, peak);
    float d = put_half(b, symmetric(x, 32u, n) * peak) / peak;
    for (uint i = 0u; i < 32u; ++i) x[i] = level_of(x[i], inverse(d), -n, n - 1.0f) + n;
}

// Levels 0..n of 32 values, in their place; writes the scale and the minimum.
static void affine_levels(thread float *x, float n, device uchar *b) {
    float peak = range(x, 32u);
    if (peak < 0.0f) {
        put_half(b, peak == NOT_FINITE ? NAN : 0.0f);
        put_half(b + 2, 0.0f);
        for (uint i = 0u; i < 32u; ++i) x[i] = 0.0f;
        return;
    }
    scaled(x, 32u, peak);
    float2 fit = affine(x, 32u, n, false);
    float d = put_half(b, fit.x * peak) / peak;
    float m = put_half(b + 2, fit.y * peak) / peak;
    for (uint i = 0u; i < 32u; ++i) x[i] = level_of(x[i] - m, inverse(d), 0.0f, n);
}

static void put_nibbles(thread const float *x, device uchar *to) {
    for (uint i = 0u; i < 16u; ++i) to[i] = uchar((uint(x[i]) & 15u) | (uint(x[i + 16u]) & 15u) << 4);
}

static void put_fifths(thread const float *x, device uchar *to) {
    for (uint k = 0u; k < 4u; ++k) {
        uint bits = 0u;
        for (uint i = 0u; i < 8u; ++i) bits |= (uint(x[8u * k + i]) >> 4) << i;
        to[k] = uchar(bits);
    }
}

static void q4_0(thread float *x, device uchar *b) {
    symmetric_levels(x, 8.0f, b);
    put_nibbles(x, b + 2);
}

static void q4_1(thread float *x, device uchar *b) {
    affine_levels(x, 15.0f, b);
    put_nibbles(x, b + 4);
}

static void q5_0(thread float *x, device uchar *b) {
    symmetric_levels(x, 16.0f, b);
    put_fifths(x, b + 2);
    put_nibbles(x, b + 6);
}

static void q5_1(thread float *x, device uchar *b) {
    affine_levels(x, 31.0f, b);
    put_fifths(x, b + 4);
    put_nibbles(x, b + 8);
}

static void q8_0(thread float *x, device uchar *b) {
    float peak = range(x, 32u);
    if (peak < 0.0f) {
        put_half(b, peak == NOT_FINITE ? NAN : 0.0f);
        for (uint i = 0u; i < 32u; ++i) b[2u + i] = 0;
        return;
    }
    float d = min(peak / 127.0f, 65504.0f);
    put_half(b, d);
    float by = 1.0f / d;
    for (uint i = 0u; i < 32u; ++i) {
        float y = clamp(x[i] * by, -127.0f, 127.0f);
        b[2u + i] = as_type<uchar>(char(int(y + copysign(0.49999997f, y))));
    }
}

// The 16 bytes that Q4_K and Q5_K start with; levels 0..n take the place of the values.
static void k_levels(thread float *x, float n, device uchar *b) {
    for (uint i = 0u; i < 16u; ++i) b[i] = 0;
    float peak = range(x, 256u);
    if (peak < 0.0f) {
        if (peak == NOT_FINITE) put_half(b, NAN);
        for (uint i = 0u; i < 256u; ++i) x[i] = 0.0f;
        return;
    }
    scaled(x, 256u, peak);
    float steps[8], lows[8];
    float top_step = 0.0f, top_low = 0.0f;
    for (uint g = 0u; g < 8u; ++g) {
        float2 fit = affine(x + 32u * g, 32u, n, true);
        steps[g] = max(fit.x, 0.0f);
        lows[g] = -min(fit.y, 0.0f);
        top_step = max(top_step, steps[g]);
        top_low = max(top_low, lows[g]);
    }
    float d = put_half(b, top_step * peak / 63.0f) / peak;
    float dmin = put_half(b + 2, top_low * peak / 63.0f) / peak;
    uint scales[8], mins[8];
    for (uint g = 0u; g < 8u; ++g) {
        scales[g] = uint(level_of(steps[g], inverse(d), 0.0f, 63.0f));
        mins[g] = uint(level_of(lows[g], inverse(dmin), 0.0f, 63.0f));
        float step = d * float(scales[g]), low = dmin * float(mins[g]);
        for (uint i = 32u * g; i < 32u * g + 32u; ++i) x[i] = level_of(x[i] + low, inverse(step), 0.0f, n);
    }
    for (uint i = 0u; i < 4u; ++i) {
        b[4u + i] = uchar(scales[i] | scales[i + 4u] >> 4 << 6);
        b[8u + i] = uchar(mins[i] | mins[i + 4u] >> 4 << 6);
        b[12u + i] = uchar((scales[i + 4u] & 15u) | (mins[i + 4u] & 15u) << 4);
    }
}

static void put_k_nibbles(thread const float *x, device uchar *to) {
    for (uint i = 0u; i < 4u; ++i) {
        for (uint j = 0u; j < 32u; ++j) {
            uint low = uint(x[64u * i + j]) & 15u, high = uint(x[64u * i + 32u + j]) & 15u;
            to[32u * i + j] = uchar(low | high << 4);
        }
    }
}

static void q4_k(thread float *x, device uchar *b) {
    k_levels(x, 15.0f, b);
    put_k_nibbles(x, b + 16);
}

static void q5_k(thread float *x, device uchar *b) {
    k_levels(x, 31.0f, b);
    for (uint j = 0u; j < 32u; ++j) {
        uint bits = 0u;
        for (uint g = 0u; g < 8u; ++g) bits |= (uint(x[32u * g + j]) >> 4) << g;
        b[16u + j] = uchar(bits);
    }
    put_k_nibbles(x, b + 48);
}

static void q6_k(thread float *x, device uchar *b) {
    for (uint i = 0u; i < 210u; ++i) b[i] = 0;
    float peak = range(x, 256u);
    if (peak < 0.0f) {
        if (peak == NOT_FINITE) put_half(b + 208, NAN);
        return;
    }
    scaled(x, 256u, peak);
    float steps[16];
    float top = 0.0f;
    for (uint g = 0u; g < 16u; ++g) {
        steps[g] = symmetric(x + 16u * g, 16u, 32.0f);
        if (fabs(steps[g]) > fabs(top)) top = steps[g];
    }
    // Scales reach from -128, so the largest step takes that one.
    float d = put_half(b + 208, top * peak / -128.0f) / peak;
    for (uint g = 0u; g < 16u; ++g) {
        float scale = level_of(steps[g], inverse(d), -128.0f, 127.0f);
        b[192u + g] = as_type<uchar>(char(int(scale)));
        for (uint i = 16u * g; i < 16u * g + 16u; ++i) {
            x[i] = level_of(x[i], inverse(d * scale), -32.0f, 31.0f) + 32.0f;
        }
    }
    for (uint part = 0u; part < 2u; ++part) {
        for (uint j = 0u; j < 32u; ++j) {
            uint high = 0u;
            for (uint k = 0u; k < 4u; ++k) high |= (uint(x[128u * part + 32u * k + j]) >> 4) << (2u * k);
            b[128u + 32u * part + j] = uchar(high);
            for (uint k = 0u; k < 2u; ++k) {
                uint low = uint(x[128u * part + 32u * k + j]) & 15u;
                uint more = uint(x[128u * part + 64u + 32u * k + j]) & 15u;
                b[64u * part + 32u * k + j] = uchar(low | more << 4);
            }
        }
    }
}
