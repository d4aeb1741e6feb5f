// One value out of those of all threads: first in each subgroup, whatever its width.
var<workgroup> fold_of: array<f32, THREADS>;
var<private> subgroup: u32;
var<private> subgroups: u32;
var<private> lane: u32;

fn group_sum(x: f32, thread: u32) -> f32 {
    let part = subgroupAdd(x);
    if lane == 0u { fold_of[subgroup] = part; }
    workgroupBarrier();
    var all = 0.0;
    for (var i = 0u; i < subgroups; i++) { all += fold_of[i]; }
    workgroupBarrier();
    return all;
}

fn group_max(x: f32, thread: u32) -> f32 {
    let part = subgroupMax(x);
    if lane == 0u { fold_of[subgroup] = part; }
    workgroupBarrier();
    var all = fold_of[0];
    for (var i = 1u; i < subgroups; i++) { all = max(all, fold_of[i]); }
    workgroupBarrier();
    return all;
}
