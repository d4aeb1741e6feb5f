// A workgroup for each head of each row: those of the queries, then of the keys, then of the values;
// a launch has all of them, or those from `first` on.
OPERANDS
MATHS
FOLDS
TURN
ENCODE

var<workgroup> head_of: array<f32, SIZE>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32 INPUTS
) {
    START
    let row = group.y;
    let which = group.x + params.first;
    let is_query = which < params.heads;
    let is_value = which >= params.heads + params.kv_heads;
    var head = which;
    if is_value { head = which - params.heads - params.kv_heads; }
    else if !is_query { head = which - params.heads; }
    let token = same_positions(i32(row) * params.positions_step, thread);
    let place = place_of(row, thread);
    if !is_query {
        if place >= params.tokens { return; }
        // Of rows that go to one place the last one counts.
        for (var later = row + 1u; later < params.rows; later++) {
            if place_of(later, thread) == place { return; }
        }
    }
    for (var i = thread; i < SIZE; i += THREADS) { head_of[i] = source(which, row, head, i32(i)); }
    workgroupBarrier();
    if !is_value {
        let norm = NORM;
        if norm {
            var sum = 0.0;
            for (var i = thread; i < SIZE; i += THREADS) { sum += head_of[i] * head_of[i]; }
            sum = group_sum(sum, thread);
            let scale = 1.0 / sqrt(sum / f32(SIZE) + params.epsilon);
            for (var i = thread; i < SIZE; i += THREADS) {
                head_of[i] = head_of[i] * (scale * norm_of(is_query, i32(i)));
            }
            workgroupBarrier();
        }
        for (var j = thread; j < params.pairs; j += THREADS) {
            let t = turn_at(token, load_frequencies(i32(j) * params.frequencies_step));
            let first = select(2u * j, j, params.halves != 0u);
            let second = select(2u * j + 1u, j + params.pairs, params.halves != 0u);
            let a = head_of[first];
            let b = head_of[second];
            head_of[first] = (a * t.y - b * t.x) * params.magnitude;
            head_of[second] = (b * t.y + a * t.x) * params.magnitude;
        }
        workgroupBarrier();
    }
    if is_query {
        for (var i = thread; i < SIZE; i += THREADS) { put(row, head, i32(i), head_of[i]); }
        return;
    }
    keep(is_value, head, place, thread);
}
