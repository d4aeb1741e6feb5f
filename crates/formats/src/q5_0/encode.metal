static void q5_0(thread float *x, device uchar *b) {
    symmetric_levels(x, 16.0f, b);
    put_fifths(x, b + 2);
    put_nibbles(x, b + 6);
}
