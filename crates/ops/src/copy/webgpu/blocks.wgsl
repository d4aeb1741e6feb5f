// Blocks as they are: a thread for each 16 bits.
OPERANDS

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.elements || id.x >= params.row { return; }
    let row = i / params.width;
    let inside = i32(i % params.width);
    store_half_out(row_out(row) + inside, half_x(row_x(row) + inside));
}
