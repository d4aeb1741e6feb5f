// One value out of those of all threads, through memory they share. All of them get it, and WGSL knows
// that they do: kernels may branch on it and meet again inside.
var<workgroup> fold_of: array<f32, THREADS>;

fn group_sum(x: f32, thread: u32) -> f32 {
    fold_of[thread] = x;
    for (var step = THREADS / 2u; step > 0u; step = step >> 1u) {
        workgroupBarrier();
        if thread < step { fold_of[thread] += fold_of[thread + step]; }
    }
    return workgroupUniformLoad(&fold_of[0]);
}

fn group_max(x: f32, thread: u32) -> f32 {
    fold_of[thread] = x;
    for (var step = THREADS / 2u; step > 0u; step = step >> 1u) {
        workgroupBarrier();
        if thread < step { fold_of[thread] = max(fold_of[thread], fold_of[thread + step]); }
    }
    return workgroupUniformLoad(&fold_of[0]);
}
