// What the encoders of formats of 32 share.

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
