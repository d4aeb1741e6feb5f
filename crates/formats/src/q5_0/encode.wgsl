fn block() {
    symmetric_levels(16.0);
    pack_fifths(2u);
    pack_nibbles(6u);
}
