// A workgroup for each head of each row: what the parts of its keys picked, each scaled to the largest
// score of all.
OPERANDS
MATHS

const MINUS_INF = 0xff800000u;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32
) {
    let head = group.x;
    let row = group.y;
    var start = 0u;
    var end = params.tokens;
    see(row, thread, &start, &end);
    var most = from_bits(MINUS_INF);
    var bad = false;
    for (var part = 0u; part < params.splits; part++) {
        let place = place_of(row, head, part);
        most = max(most, parts[place]);
        bad = bad || is_nan(parts[place + 1u]);
    }
    // Keys are seen, and nothing but -inf is found.
    bad = bad || (start < end && bitcast<u32>(most) == MINUS_INF);
    let out = i32(row) * params.out_row + i32(head) * params.out_head;
    for (var d = thread; d < params.size; d += THREADS) {
        var sum = 0.0;
        var total = 0.0;
        for (var part = 0u; part < params.splits; part++) {
            let place = place_of(row, head, part);
            let here = parts[place];
            let factor = select(exp_f32(here - most), 0.0, bitcast<u32>(here) == MINUS_INF);
            total += factor * parts[place + 1u];
            sum += factor * parts[place + 2u + d];
        }
        var x = select(sum / total, 0.0, start >= end);
        if bad { x = nan(); }
        store_out(out + i32(d) * params.out_step, x);
    }
}
