fn block() {
    symmetric_levels(8.0);
    pack_nibbles(2u);
}
