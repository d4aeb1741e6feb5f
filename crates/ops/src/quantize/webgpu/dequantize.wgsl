// A thread for each four elements.
OPERANDS

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.y * params.row + id.x;
    if number >= params.elements || id.x >= params.row { return; }
    let row = number / params.width;
    let k = 4u * (number % params.width);
    let four = quad_x(row_x(row), k);
    let out = row_out(row) + i32(k) * params.out_step;
    for (var i = 0; i < 4; i++) { store_out(out + i * params.out_step, four[i]); }
}
