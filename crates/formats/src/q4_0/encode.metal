static void q4_0(thread float *x, device uchar *b) {
    symmetric_levels(x, 8.0f, b);
    put_nibbles(x, b + 2);
}
