// A thread for each element of the result. The table, or a part of it, has `len` of `all` places
// along the axis, from `start` on; those outside of all are for the first part.
OPERANDS
NUMBER

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.elements || id.x >= params.row { return; }
    let inner = i % params.inner;
    let picked = (i / params.inner) % params.picked;
    let outer = i / (params.inner * params.picked);
    let number = number_of(load_indices(place_indices(picked)), params.all);
    if number >= params.all {
        if params.start == 0u { store_out(place_out(i), OUTSIDE); }
        return;
    }
    if number < params.start || number - params.start >= params.len { return; }
    store_out(place_out(i), element(outer, number - params.start, inner));
}
