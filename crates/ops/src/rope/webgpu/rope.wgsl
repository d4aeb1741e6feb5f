// A thread for each pair of a head, and for each element that is no part of one.
OPERANDS
MATHS
TURN

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.elements || id.x >= params.row { return; }
    let head = i / params.width;
    let j = i % params.width;
    let x = row_x(head);
    let out = row_out(head);
    if j >= params.pairs {
        let rest = i32(j + params.pairs);
        store_out(out + rest * params.out_step, load_x(x + rest * params.x_step));
        return;
    }
    let position = load_positions(i32(head / params.heads) * params.positions_step);
    let t = turn_of(position, load_frequencies(i32(j) * params.frequencies_step));
    let first = i32(select(2u * j, j, params.halves != 0u));
    let second = i32(select(2u * j + 1u, j + params.pairs, params.halves != 0u));
    let a = load_x(x + first * params.x_step);
    let b = load_x(x + second * params.x_step);
    store_out(out + first * params.out_step, (a * t.y - b * t.x) * params.magnitude);
    store_out(out + second * params.out_step, (b * t.y + a * t.x) * params.magnitude);
}
