// One value out of those of all threads: first in each subgroup, whatever its width. All of them get
// it, and WGSL knows that they do: kernels may branch on it and meet again inside.
var<workgroup> fold_of: array<f32, THREADS>;
var<private> subgroup: u32;
var<private> subgroups: u32;
var<private> lane: u32;

fn group_sum(x: f32, thread: u32) -> f32 {
    let part = subgroupAdd(x);
    if lane == 0u { fold_of[subgroup] = part; }
    workgroupBarrier();
    if thread == 0u {
        for (var i = 1u; i < subgroups; i++) { fold_of[0] += fold_of[i]; }
    }
    return workgroupUniformLoad(&fold_of[0]);
}

fn group_max(x: f32, thread: u32) -> f32 {
    let part = subgroupMax(x);
    if lane == 0u { fold_of[subgroup] = part; }
    workgroupBarrier();
    if thread == 0u {
        for (var i = 1u; i < subgroups; i++) { fold_of[0] = max(fold_of[0], fold_of[i]); }
    }
    return workgroupUniformLoad(&fold_of[0]);
}
