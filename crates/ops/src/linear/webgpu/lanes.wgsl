// For adapters that are a CPU with vectors of 8: a thread for each of 8 outputs, and for a few more,
// 32 along the rows at a time. Each thread reads 4 of a row's 32 activations and hands
// them to the others: memory is read thread by thread there, registers are not.
OPERANDS

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32
) {
    PLACE
    let row = ROWS * group.y;
    SETUP
    for (var run = 0u; run < params.runs; run++) {
        let k = 32u * run;
        BODY
    }
    FINISH
}
