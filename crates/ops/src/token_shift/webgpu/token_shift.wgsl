// A thread for each channel of a token, for all its mixes.
OPERANDS

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.elements || id.x >= params.row { return; }
    let row = i / params.channels;
    let channel = i32(i % params.channels);
    let sequence = row / params.tokens;
    let own = load_x(row_x(row) + channel * params.x_step);
    let state = row_state(sequence) + channel * params.state_step;
    var before = 0.0;
    let is_first = row % params.tokens == 0u;
    if is_first { before = load_state(state); }
    else { before = load_x(row_x(row - 1u) + channel * params.x_step); }
    for (var mix = 0u; mix < params.mixes; mix++) {
        let at = mix * params.rows + row;
        let factor = load_mu(row_mu(at) + channel * params.mu_step);
        store_out(row_out(at) + channel * params.out_step, own + (before - own) * factor);
    }
    // By the thread that has read it: no other one does.
    if is_first {
        let last = row + params.tokens - 1u;
        update(state, load_x(row_x(last) + channel * params.x_step));
    }
}
