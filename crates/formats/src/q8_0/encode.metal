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
