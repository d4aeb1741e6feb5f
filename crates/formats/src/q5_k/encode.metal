static void q5_k(thread float *x, device uchar *b) {
    k_levels(x, 31.0f, b);
    for (uint j = 0u; j < 32u; ++j) {
        uint bits = 0u;
        for (uint g = 0u; g < 8u; ++g) bits |= (uint(x[32u * g + j]) >> 4) << g;
        b[16u + j] = uchar(bits);
    }
    put_k_nibbles(x, b + 48);
}
