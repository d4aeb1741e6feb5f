// A workgroup for each run of elements that are normed together. Runs follow each other in
// row-major order; each `size` elements belong to one of `channels` weights. `value` says what is
// normed, of `x` or of `x + y`, and `keep` stores it.
OPERANDS
MATHS
FOLDS

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32 INPUTS
) {
    START
    let run = group.y * 32768u + group.x;
    if run >= params.runs { return; }
    let first = run * params.width;
    let width = f32(params.width);
    // Rounding is less of what is near zero: all is seen from the first element.
    let origin = value(first);
    var sum = 0.0;
    for (var i = thread; i < params.width; i += THREADS) { sum += value(first + i) - origin; }
    let off = group_sum(sum, thread) / width;
    sum = 0.0;
    for (var i = thread; i < params.width; i += THREADS) {
        let x = (value(first + i) - origin) - off;
        sum += x * x;
    }
    sum = group_sum(sum, thread);
    var unit = 1.0;
    var scale = 1.0 / sqrt(sum / width + params.epsilon);
    if !is_nan(sum) && (sum > 1e37 || sum < 1e-25) {
        // Squares beyond what floats hold: the run is brought near 1 first.
        var most = 0.0;
        for (var i = thread; i < params.width; i += THREADS) {
            most = max(most, abs((value(first + i) - origin) - off));
        }
        most = group_max(most, thread);
        if is_true(most) && !is_inf(most) {
            let exponent = clamp(i32(bitcast<u32>(most) >> 23u) - 127, -100, 100);
            unit = power_of_two(-exponent);
            var near = 0.0;
            for (var i = thread; i < params.width; i += THREADS) {
                let x = ((value(first + i) - origin) - off) * unit;
                near += x * x;
            }
            near = group_sum(near, thread);
            scale = 1.0 / sqrt(near / width + params.epsilon * unit * unit);
        }
    }
    workgroupBarrier();
    for (var i = thread; i < params.width; i += THREADS) {
        let kept = value(first + i);
        keep(first + i, kept);
        let x = ((kept - origin) - off) * unit;
        let channel = i32(((first + i) / params.size) % params.channels);
        store_out(place_out(first + i), x * scale * weight_of(channel) + bias_of(channel));
    }
}
