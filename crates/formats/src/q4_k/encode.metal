static void q4_k(thread float *x, device uchar *b) {
    k_levels(x, 15.0f, b);
    put_k_nibbles(x, b + 16);
}
