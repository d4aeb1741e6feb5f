// A thread for each channel of a sequence. HELD is how many tokens before each one count.
OPERANDS

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.threads || id.x >= params.row { return; }
    let sequence = i / params.channels;
    let channel = i % params.channels;
    let column = i32(channel);
    var held: array<f32, HELD>;
    var factors: array<f32, HELD>;
    for (var l = 0u; l < HELD; l++) {
        held[l] = load_state(row_state(sequence * HELD + l) + column * params.state_step);
        factors[l] = load_weight(row_weight(channel) + i32(l) * params.weight_step);
    }
    let last = load_weight(row_weight(channel) + i32(HELD) * params.weight_step);
    for (var t = 0u; t < params.tokens; t++) {
        let token = sequence * params.tokens + t;
        let own = load_x(row_x(token) + column * params.x_step);
        var sum = 0.0;
        for (var l = 0u; l < HELD; l++) {
            sum += held[l] * factors[l];
            if l + 1u < HELD { held[l] = held[l + 1u]; } else { held[l] = own; }
        }
        store_out(row_out(token) + column * params.out_step, sum + own * last);
    }
    for (var l = 0u; l < HELD; l++) {
        store_state(row_state(sequence * HELD + l) + column * params.state_step, held[l]);
    }
}
