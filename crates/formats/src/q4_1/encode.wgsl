fn block() {
    affine_levels(15.0);
    pack_nibbles(4u);
}
