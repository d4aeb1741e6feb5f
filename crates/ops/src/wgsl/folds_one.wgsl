// One value out of those of all threads, which are one subgroup. WGSL does not know that all of them
// get the same, so kernels that branch on it have another form.
fn group_sum(x: f32, thread: u32) -> f32 { return subgroupAdd(x); }
fn group_max(x: f32, thread: u32) -> f32 { return subgroupMax(x); }
