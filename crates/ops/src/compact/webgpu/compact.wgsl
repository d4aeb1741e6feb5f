// Compaction by blocks of four elements of the mask for each thread. MODE 0: how many each selects.
// MODE 1: how many those before it do. MODE 2: its rows, by `put(row, number)`.
OPERANDS

var<workgroup> parts: array<u32, THREADS>;

// What all threads before this one hold; `parts` has what all hold at its end.
fn before(own: u32, thread: u32) -> u32 {
    parts[thread] = own;
    workgroupBarrier();
    for (var apart = 1u; apart < THREADS; apart = apart << 1u) {
        var other = 0u;
        if thread >= apart { other = parts[thread - apart]; }
        workgroupBarrier();
        parts[thread] += other;
        workgroupBarrier();
    }
    return parts[thread] - own;
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32
) {
    let number = group.y * 32768u + group.x;
    let mode = MODE;
    if mode == 1 {
        var total = 0u;
        for (var first = 0u; first < params.blocks; first += THREADS) {
            let i = first + thread;
            var own = 0u;
            if i < params.blocks { own = counts[i]; }
            let start = before(own, thread);
            if i < params.blocks { counts[i] = total + start; }
            total += parts[THREADS - 1u];
            workgroupBarrier();
        }
        return;
    }
    if number >= params.blocks { return; }
    let first = (number * THREADS + thread) * 4u;
    let end = min(first + 4u, params.length);
    var own = 0u;
    for (var i = first; i < end; i++) {
        if load_mask(i32(i) * params.mask_step) { own += 1u; }
    }
    var row = before(own, thread);
    if mode == 0 {
        if thread == 0u { counts[number] = parts[THREADS - 1u]; }
        return;
    }
    row += counts[number];
    for (var i = first; i < end; i++) {
        if row < params.room && load_mask(i32(i) * params.mask_step) {
            put(row, i);
            row += 1u;
        }
    }
}
