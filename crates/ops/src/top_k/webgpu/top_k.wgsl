// A workgroup for each row: the best of what comes after the last one found, `k` times. Elements
// are ordered by keys that grow with them, then by where they are.
OPERANDS
MATHS

var<workgroup> keys: array<u32, THREADS>;
var<workgroup> places: array<u32, THREADS>;

fn key(x: f32) -> u32 {
    if is_nan(x) { return 0xffffffffu; }
    if !is_true(x) { return 0x80000000u; }
    let bits = bitcast<u32>(x);
    return select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32
) {
    let row = group.y * 32768u + group.x;
    if row >= params.rows { return; }
    let x = row_x(row);
    var last_key = 0xffffffffu;
    var next = 0u;
    for (var found = 0u; found < params.k; found++) {
        var best_key = 0u;
        var best = 0xffffffffu;
        for (var i = thread; i < params.width; i += THREADS) {
            let k = key(load_x(x + i32(i) * params.x_step));
            let after = k < last_key || (k == last_key && i >= next);
            if after && (best == 0xffffffffu || k > best_key) {
                best_key = k;
                best = i;
            }
        }
        keys[thread] = best_key;
        places[thread] = best;
        workgroupBarrier();
        for (var step = THREADS / 2u; step > 0u; step = step >> 1u) {
            if thread < step {
                let other = places[thread + step];
                let k = keys[thread + step];
                let mine = places[thread];
                let better = k > keys[thread] || (k == keys[thread] && other < mine);
                if other != 0xffffffffu && (mine == 0xffffffffu || better) {
                    keys[thread] = k;
                    places[thread] = other;
                }
            }
            workgroupBarrier();
        }
        let place = places[0];
        last_key = keys[0];
        next = place + 1u;
        if thread == 0u {
            let at = i32(found);
            store_values(row_values(row) + at * params.values_step, load_x(x + i32(place) * params.x_step));
            store_indices(row_indices(row) + at * params.indices_step, place);
        }
        workgroupBarrier();
    }
}
