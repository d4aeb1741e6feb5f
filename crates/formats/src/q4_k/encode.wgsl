fn block() {
    k_levels(15.0);
    for (var i = 0u; i < 128u; i++) {
        let first = 64u * (i / 32u) + i % 32u;
        block_bytes[16u + i] = block_levels[first] | (block_levels[first + 32u] << 4u);
    }
}
