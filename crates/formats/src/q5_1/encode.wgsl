fn block() {
    affine_levels(31.0);
    pack_fifths(4u);
    pack_nibbles(8u);
}
