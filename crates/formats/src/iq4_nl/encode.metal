constant float IQ4_NL_VALUES[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                    1,    13,   25,  38,  53,  69,  89,  113};

// The number of the nearest value of the book.
static uint nearest_of_book(float y) {
    uint number = 0u;
    for (uint i = 0u; i < 15u; ++i) {
        if (y > (IQ4_NL_VALUES[i] + IQ4_NL_VALUES[i + 1u]) * 0.5f) number = i + 1u;
    }
    return number;
}

// The step and what it gains.
static float2 refit_book(thread const float *x, float2 best, float scale) {
    float xq = 0.0f, qq = 0.0f;
    for (uint i = 0u; i < 32u; ++i) {
        float q = IQ4_NL_VALUES[nearest_of_book(x[i] * scale)];
        float product = x[i] * q;
        xq += product;
        qq += q * q;
    }
    float square = xq * xq;
    return square > best.y * qq ? float2(xq / qq, square / qq) : best;
}

static float step_of_book(thread const float *x) {
    float peak = 0.0f;
    for (uint i = 0u; i < 32u; ++i) {
        if (fabs(x[i]) > fabs(peak)) peak = x[i];
    }
    float2 best = float2(-peak / 127.0f, 0.0f);
    for (int step = -8; step <= 5; ++step) {
        float more = 2.5f * float(step);
        best = refit_book(x, best, -(127.0f + more) / peak);
        best = refit_book(x, best, (113.0f + more) / peak);
    }
    for (int i = 0; i < 2; ++i) best = refit_book(x, best, inverse(best.x));
    return best.x;
}

static void iq4_nl(thread float *x, device uchar *b) {
    float peak = range(x, 32u), d = 0.0f;
    if (peak < 0.0f) {
        put_half(b, peak == NOT_FINITE ? NAN : 0.0f);
        for (uint i = 0u; i < 32u; ++i) x[i] = 0.0f;
    } else {
        scaled(x, 32u, peak);
        d = put_half(b, step_of_book(x) * peak) / peak;
    }
    float by = inverse(d);
    for (uint i = 0u; i < 32u; ++i) x[i] = float(nearest_of_book(x[i] * by));
    put_nibbles(x, b + 2);
}
