// What the encoders of Q4_K and Q5_K share.

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
