// A workgroup for each head of a sequence, a thread for each column of its state. Sums over a head are of
// few numbers, so each thread makes its own: all get the same.
OPERANDS
MATHS

// Receptance, decay, key and direction of each row, and what sums are made of.
var<workgroup> rows: array<vec4<f32>, SIZE>;
var<workgroup> others: array<vec2<f32>, SIZE>;
var<workgroup> results: array<f32, SIZE>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) j: u32
) {
    let head = group.x;
    let sequence = group.y;
    let has = j < SIZE;
    let x = place_x(sequence, head, j);
    let first = place_first(sequence, head, j);
    let out = place_out(sequence, head, j);
    let column = place_state(sequence, head, j);
    let weights = i32(head) * params.weight_head + i32(j) * params.weight_step;
    if has { take_column(column); }
    for (var t = 0u; t < params.tokens; t++) {
        let token = i32(t);
        let own = x + token * params.x_token;
        var value = 0.0;
        var result = 0.0;
        var bonus = 0.0;
        if has {
            let r = load_x(own);
            let k = load_x(own + 2 * params.part);
            value = residual(first + token * params.first_token, load_x(own + 3 * params.part),
                load_x(own + 6 * params.part));
            let decay = exp_f32(params.fastest * sigmoid_f32(load_x(own + params.part)));
            let rate = sigmoid_f32(load_x(own + 4 * params.part));
            let key = k * (1.0 + (rate - 1.0) * load_weights(weights + params.weight_part));
            rows[j] = vec4<f32>(r, decay, key, k * load_weights(weights));
            others[j] = vec2<f32>(rate, r * key * load_weights(weights + 2 * params.weight_part));
        }
        workgroupBarrier();
        if has {
            var squares = 0.0;
            var forgotten = 0.0;
            for (var i = 0u; i < SIZE; i++) {
                let d = rows[i].w;
                squares += d * d;
                bonus += others[i].y;
                forgotten += cell(column, i) * d;
            }
            let length = max(sqrt(squares), params.shortest);
            forgotten /= length;
            for (var i = 0u; i < SIZE; i++) {
                let row = rows[i];
                let back = row.w / length * others[i].x;
                let new_cell = cell(column, i) * row.y - forgotten * back + value * row.z;
                set_cell(column, i, new_cell);
                result += new_cell * row.x;
            }
            results[j] = result;
        }
        workgroupBarrier();
        if has {
            if NORM {
                var mean = 0.0;
                var variance = 0.0;
                for (var i = 0u; i < SIZE; i++) { mean += results[i]; }
                mean /= f32(SIZE);
                for (var i = 0u; i < SIZE; i++) {
                    variance += (results[i] - mean) * (results[i] - mean);
                }
                let scale = 1.0 / sqrt(variance / f32(SIZE) + params.epsilon);
                result = (result - mean) * scale * load_weights(weights + 3 * params.weight_part)
                    + load_weights(weights + 4 * params.weight_part);
            }
            result += bonus * value;
            if GATE { result *= load_x(own + 5 * params.part); }
            store_out(out + token * params.out_token, result);
        }
    }
    if has { give_column(column); }
}
