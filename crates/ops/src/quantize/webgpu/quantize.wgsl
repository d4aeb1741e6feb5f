// A thread for each block.
OPERANDS
ENCODE

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.y * params.row + id.x;
    if number >= params.elements || id.x >= params.row { return; }
    let row = number / params.width;
    let j = i32(number % params.width);
    let base = row_x(row) + j * LEN * params.x_step;
    for (var i = 0; i < LEN; i++) { block_values[i] = load_x(base + i * params.x_step); }
    encode_out(row_out(row) + j * HALVES);
}
