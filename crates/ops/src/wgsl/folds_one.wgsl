// One value out of those of all threads, which are one subgroup.
fn group_sum(x: f32, thread: u32) -> f32 { return subgroupAdd(x); }
fn group_max(x: f32, thread: u32) -> f32 { return subgroupMax(x); }
