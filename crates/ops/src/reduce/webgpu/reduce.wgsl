// How values become one: `none`, `one`, `both` and `result` come before this.
var<workgroup> parts: array<Part, 128>;

// A workgroup for each result.
@compute @workgroup_size(128)
fn grouped(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group.y * 32768u + group.x;
    if number >= params.elements { return; }
    begin(number);
    var part = none();
    for (var i = thread; i < params.count; i += 128u) { part = both(part, one(value(i), i)); }
    parts[thread] = part;
    workgroupBarrier();
    for (var step = 64u; step > 0u; step = step >> 1u) {
        if thread < step { parts[thread] = both(parts[thread], parts[thread + step]); }
        workgroupBarrier();
    }
    if thread == 0u { store_result(base_result, result(parts[0])); }
}

// A thread for each result.
@compute @workgroup_size(64)
fn alone(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.y * params.row + id.x;
    if number >= params.elements || id.x >= params.row { return; }
    begin(number);
    var part = none();
    for (var i = 0u; i < params.count; i++) { part = both(part, one(value(i), i)); }
    store_result(base_result, result(part));
}
