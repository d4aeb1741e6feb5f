// A thread for each value. KEY is a type that compares elements, by LESS.
OPERANDS
MATHS

fn less(a: KEY, b: KEY) -> bool { return LESS; }

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.elements || id.x >= params.row { return; }
    let value = KEY(load_values(place_values(i)));
    var start = 0u;
    var end = params.length;
    loop {
        if start >= end { break; }
        let middle = start + (end - start) / 2u;
        let x = KEY(load_sorted(i32(middle) * params.sorted_step));
        var before = less(x, value);
        if params.right != 0u { before = !less(value, x); }
        if before { start = middle + 1u; } else { end = middle; }
    }
    store_out(place_out(i), PLACE);
}
