fn block() {
    k_levels(31.0);
    for (var i = 0u; i < 32u; i++) { block_bytes[16u + i] = 0u; }
    for (var i = 0u; i < 128u; i++) {
        let first = 64u * (i / 32u) + i % 32u;
        let a = block_levels[first];
        let b = block_levels[first + 32u];
        block_bytes[16u + i % 32u] |= ((a >> 4u) | ((b >> 4u) << 1u)) << (2u * (i / 32u));
        block_bytes[48u + i] = (a & 15u) | ((b & 15u) << 4u);
    }
}
