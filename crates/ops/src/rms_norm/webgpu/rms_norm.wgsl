// A workgroup for each row. The sum of squares is that of the row, or of `x + y` if there is a `y`,
// which `value` says and `keep` stores.
OPERANDS
MATHS
FOLDS

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32 INPUTS
) {
    START
    let row = group.y * 32768u + group.x;
    if row >= params.rows { return; }
    begin(row);
    let out = row_out(row);
    let width = f32(params.width);
    var sum = 0.0;
    for (var i = thread; i < params.width; i += THREADS) {
        let x = value(i32(i));
        sum += x * x;
    }
    sum = group_sum(sum, thread);
    var scale = 1.0 / sqrt(sum / width + params.epsilon);
    if !is_nan(sum) && (sum > 1e37 || sum < 1e-25) {
        // Squares beyond what floats hold: the row is brought near 1 first.
        var most = 0.0;
        for (var i = thread; i < params.width; i += THREADS) { most = max(most, abs(value(i32(i)))); }
        most = group_max(most, thread);
        if is_true(most) && !is_inf(most) {
            let exponent = clamp(i32(bitcast<u32>(most) >> 23u) - 127, -100, 100);
            let unit = power_of_two(-exponent);
            var near = 0.0;
            for (var i = thread; i < params.width; i += THREADS) {
                let x = value(i32(i)) * unit;
                near += x * x;
            }
            near = group_sum(near, thread);
            let epsilon = params.epsilon * unit * unit;
            scale = (1.0 / sqrt(near / width + epsilon)) * unit;
        }
    }
    for (var i = thread; i < params.width; i += THREADS) {
        let x = value(i32(i));
        keep(i32(i), x);
        let weight = load_weight(i32(i) * params.weight_step);
        store_out(out + i32(i) * params.out_step, x * scale * weight);
    }
}
