// A workgroup for each row.
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
    let x = row_x(row);
    let masked = row_mask(row);
    let out = row_out(row);
    var most = from_bits(0xff800000u);
    var broken = 0.0;
    for (var i = thread; i < params.width; i += THREADS) {
        let z = load_x(x + i32(i) * params.x_step) * params.scale + mask_at(masked, i32(i));
        if is_nan(z) { broken = 1.0; } else { most = max(most, z); }
    }
    most = group_max(most, thread);
    broken = group_max(broken, thread);
    let nothing = bitcast<u32>(most) == 0xff800000u;
    var sum = 0.0;
    for (var i = thread; i < params.width; i += THREADS) {
        let z = load_x(x + i32(i) * params.x_step) * params.scale + mask_at(masked, i32(i));
        sum += exp_f32(z - most);
    }
    sum = group_sum(sum, thread);
    let bad = broken > 0.0 || bitcast<u32>(most) == 0x7f800000u;
    let low = log_f32(sum);
    for (var i = thread; i < params.width; i += THREADS) {
        let z = load_x(x + i32(i) * params.x_step) * params.scale + mask_at(masked, i32(i));
        var y = exp_f32(z - most) / sum;
        if params.log != 0u { y = z - most - low; }
        if nothing { y = select(0.0, most, params.log != 0u); }
        if bad { y = nan(); }
        store_out(out + i32(i) * params.out_step, y);
    }
}
