static void q3_k(thread float *x, device uchar *b) {
    for (uint i = 0u; i < 110u; ++i) b[i] = 0;
    float peak = range(x, 256u);
    if (peak < 0.0f) {
        if (peak == NOT_FINITE) put_half(b + 108, NAN);
        return;
    }
    scaled(x, 256u, peak);
    float steps[16];
    float top = 0.0f;
    for (uint g = 0u; g < 16u; ++g) {
        steps[g] = symmetric(x + 16u * g, 16u, 4.0f);
        if (fabs(steps[g]) > fabs(top)) top = steps[g];
    }
    // Scales reach from -32, so the largest step takes that one.
    float d = put_half(b + 108, top * peak / -32.0f) / peak;
    uint low[8] = {}, high[4] = {};
    for (uint g = 0u; g < 16u; ++g) {
        float scale = level_of(steps[g], inverse(d), -32.0f, 31.0f);
        uint bits = uint(scale + 32.0f);
        low[g % 8u] |= (bits & 15u) << (g / 8u * 4u);
        high[g % 4u] |= bits >> 4 << (g / 4u * 2u);
        for (uint i = 16u * g; i < 16u * g + 16u; ++i) {
            x[i] = level_of(x[i], inverse(d * scale), -4.0f, 3.0f) + 4.0f;
        }
    }
    for (uint i = 0u; i < 8u; ++i) b[96u + i] = uchar(low[i]);
    for (uint i = 0u; i < 4u; ++i) b[104u + i] = uchar(high[i]);
    for (uint j = 0u; j < 32u; ++j) {
        uint third = 0u;
        for (uint g = 0u; g < 8u; ++g) third |= (uint(x[32u * g + j]) >> 2) << g;
        b[j] = uchar(third);
        for (uint part = 0u; part < 2u; ++part) {
            uint pairs = 0u;
            for (uint k = 0u; k < 4u; ++k) pairs |= (uint(x[128u * part + 32u * k + j]) & 3u) << (2u * k);
            b[32u + 32u * part + j] = uchar(pairs);
        }
    }
}
