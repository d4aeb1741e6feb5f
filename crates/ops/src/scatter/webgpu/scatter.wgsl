// A thread for each element of `x`, or for each block of a table of blocks. Where several parts go
// to one place the last one counts.
OPERANDS
NUMBER
ENCODE

fn place_of(i: u32) -> u32 {
    return number_of(load_indices(i32(i) * params.indices_step), params.len);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.elements || id.x >= params.row { return; }
    let inner = i % params.inner;
    let number = (i / params.inner) % params.count;
    let outer = i / (params.inner * params.count);
    let place = place_of(number);
    if place >= params.len { return; }
    for (var later = number + 1u; later < params.count; later++) {
        if place_of(later) == place { return; }
    }
    put(outer, number, place, inner);
}
