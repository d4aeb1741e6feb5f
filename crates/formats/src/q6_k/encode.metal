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
