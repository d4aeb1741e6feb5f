// One value out of those of all threads, through memory they share.
var<workgroup> fold_of: array<f32, THREADS>;

fn group_sum(x: f32, thread: u32) -> f32 {
    fold_of[thread] = x;
    workgroupBarrier();
    for (var step = THREADS / 2u; step > 0u; step = step >> 1u) {
        if thread < step { fold_of[thread] += fold_of[thread + step]; }
        workgroupBarrier();
    }
    let all = fold_of[0];
    workgroupBarrier();
    return all;
}

fn group_max(x: f32, thread: u32) -> f32 {
    fold_of[thread] = x;
    workgroupBarrier();
    for (var step = THREADS / 2u; step > 0u; step = step >> 1u) {
        if thread < step { fold_of[thread] = max(fold_of[thread], fold_of[thread + step]); }
        workgroupBarrier();
    }
    let all = fold_of[0];
    workgroupBarrier();
    return all;
}
