// A thread for each channel of a sequence, for all its tokens.
OPERANDS
MATHS

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.y * params.row + id.x;
    if number >= params.elements || id.x >= params.row { return; }
    let sequence = number / params.channels;
    let channel = i32(number % params.channels);
    let fade = load_w(channel * params.w_step);
    let bonus = load_u(channel * params.u_step);
    let place = channel * params.state_step;
    var a = load_state(row_state(3u * sequence) + place);
    var b = load_state(row_state(3u * sequence + 1u) + place);
    var exponent = load_state(row_state(3u * sequence + 2u) + place);
    for (var t = 0u; t < params.tokens; t++) {
        let row = sequence * params.tokens + t;
        let key = load_k(row_k(row) + channel * params.k_step);
        let value = load_v(row_v(row) + channel * params.v_step);
        var most = max_f32(exponent, bonus + key);
        var old = exp_f32(exponent - most);
        var fresh = exp_f32(bonus + key - most);
        let y = (old * a + fresh * value) / (old * b + fresh);
        store_out(row_out(row) + channel * params.out_step, y);
        most = max_f32(exponent + fade, key);
        old = exp_f32(exponent + fade - most);
        fresh = exp_f32(key - most);
        a = old * a + fresh * value;
        b = old * b + fresh;
        exponent = most;
    }
    store_state(row_state(3u * sequence) + place, a);
    store_state(row_state(3u * sequence + 1u) + place, b);
    store_state(row_state(3u * sequence + 2u) + place, exponent);
}
