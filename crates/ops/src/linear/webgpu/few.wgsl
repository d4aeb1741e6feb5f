// A workgroup for some outputs of a few rows. Its threads take turns at runs along a row, so
// each sum is made in the same order however many rows and outputs are at hand.
OPERANDS
FOLDS

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32 INPUTS
) {
    START
    PLACE
    let item = group.y;
    SETUP
    for (var run = thread; run < params.runs; run += THREADS) {
        let k = RUN * run;
        BODY
    }
    FINISH
}
