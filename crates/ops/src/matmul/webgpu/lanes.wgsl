// For adapters that are a CPU with vectors of 8: a workgroup, which is one vector, for ROWS rows of
// 32 columns. Each thread has 4 of the columns, and reads 4 along a row for every eighth row, which
// it hands to the others.
OPERANDS

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32
) {
    let column = 32u * group.x + 4u * lane;
    // Threads beyond the last column read what others do.
    let near = min(column, (params.n - 1u) & ~3u);
    let row = ROWS * group.y;
    let batch = group.z;
    SETUP
    for (var k = 0u; k < params.k; k += 4u) {
        BODY
    }
    FINISH
}
