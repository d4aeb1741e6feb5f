// A workgroup for each head of each row, or for a part of what it sees: scores of 256 keys at a time,
// then what they pick of the values, four elements of a head for each thread. What was found before
// is scaled down as larger scores come.
OPERANDS
MATHS
FOLDS

const CHUNK = 256u;
var<workgroup> scores: array<f32, CHUNK>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32 INPUTS
) {
    START
    let head = group.x;
    let row = group.y;
    let kv_head = i32(head / params.sharing);
    let keys = kv_head * params.k_head;
    let values = kv_head * params.v_head;
    let q = i32(row) * params.q_row + i32(head) * params.q_head;
    var start = 0u;
    var end = params.tokens;
    see(row, thread, &start, &end);
    NARROW
    var most = from_bits(0xff800000u);
    var total = 0.0;
    var sum = vec4<f32>();
    var broken = 0.0;
    for (var chunk = start; chunk < end; chunk += CHUNK) {
        let count = min(CHUNK, end - chunk);
        var largest = from_bits(0xff800000u);
        for (var t = thread; t < count; t += THREADS) {
            let key = keys + slot(row, chunk + t) * params.k_token;
            var score = 0.0;
            for (var d = 0u; d < params.size; d += 4u) {
                score += dot(quad_q(q, d), quad_k(key, d));
            }
            score *= params.scale;
            if params.cap > 0.0 { score = params.cap * tanh_f32(score / params.cap); }
            scores[t] = score;
            if is_nan(score) { broken = 1.0; } else { largest = max(largest, score); }
        }
        largest = max(most, group_max(largest, thread));
        // Nothing but -inf so far: nothing is picked, unless it stays so.
        let none = bitcast<u32>(largest) == 0xff800000u;
        let factor = select(exp_f32(most - largest), 0.0, bitcast<u32>(most) == 0xff800000u);
        var part = 0.0;
        for (var t = thread; t < count; t += THREADS) {
            let weight = select(exp_f32(scores[t] - largest), 0.0, none);
            scores[t] = weight;
            part += weight;
        }
        total = total * factor + group_sum(part, thread);
        workgroupBarrier();
        sum = sum * factor;
        if 4u * thread < params.size {
            for (var t = 0u; t < count; t++) {
                let value = values + slot(row, chunk + t) * params.v_token;
                sum += scores[t] * quad_v(value, 4u * thread);
            }
        }
        most = largest;
        workgroupBarrier();
    }
    broken = group_max(broken, thread);
    FINISH
}
