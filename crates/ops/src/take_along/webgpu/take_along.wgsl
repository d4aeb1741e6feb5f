// A thread for each element.
OPERANDS
NUMBER

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.elements || id.x >= params.row { return; }
    let number = number_of(load_indices(place_indices(i)), params.length);
    if number >= params.length {
        store_out(place_out(i), OUTSIDE);
        return;
    }
    store_out(place_out(i), load_x(place_x(i) + i32(number) * params.axis_step));
}
