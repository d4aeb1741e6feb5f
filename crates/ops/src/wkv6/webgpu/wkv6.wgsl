// A workgroup for each head of a sequence, a thread for each column of its state.
OPERANDS

// Of two tokens: while slow threads read one, fast ones write the next.
var<workgroup> keys: array<vec4<f32>, 2u * SIZE>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) j: u32
) {
    let head = group.x;
    let sequence = group.y;
    let has = j < SIZE;
    let r = place_r(sequence, head, j);
    let k = place_k(sequence, head, j);
    let v = place_v(sequence, head, j);
    let decay = place_decay(sequence, head, j);
    let out = place_out(sequence, head, j);
    let column = place_state(sequence, head, j);
    var bonus = 0.0;
    if has {
        bonus = load_u(row_u(head) + i32(j) * params.u_step);
        take_column(column);
    }
    for (var t = 0u; t < params.tokens; t++) {
        let now = (t & 1u) * SIZE;
        let token = i32(t);
        if has {
            let key = load_k(k + token * params.k_token);
            keys[now + j] = vec4<f32>(load_r(r + token * params.r_token), key, bonus * key,
                load_decay(decay + token * params.decay_token));
        }
        workgroupBarrier();
        if has {
            let value = load_v(v + token * params.v_token);
            var y = 0.0;
            for (var i = 0u; i < SIZE; i++) {
                let of_key = keys[now + i];
                let old = cell(column, i);
                y += of_key.x * (old + of_key.z * value);
                set_cell(column, i, of_key.w * old + of_key.y * value);
            }
            store_out(out + token * params.out_token, y);
        }
    }
    if has { give_column(column); }
}
