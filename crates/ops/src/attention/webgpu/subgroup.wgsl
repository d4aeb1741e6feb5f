// A subgroup for a few queries that share keys and values, as many keys at a time as it has
// threads: each thread finds the scores of one key, then picks of the values what its own elements
// of the head get. Nothing is shared but by handing it around. What was found before is scaled down
// as larger scores come.
OPERANDS
MATHS

const MINUS_INF = 0xff800000u;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32
) {
    SETUP
    NARROW
    let keys = i32(kv_head) * params.k_head;
    let values = i32(kv_head) * params.v_head;
    for (var chunk = start; chunk < end; chunk += THREADS) {
        let token = chunk + lane;
        let key = keys + slot(ROW, min(token, end - 1u)) * params.k_token;
        SCORES
        WEIGHTS
        let count = min(THREADS, end - chunk);
        for (var t = 0u; t < count; t++) {
            let value = values + slot(ROW, chunk + t) * params.v_token;
            VALUES
        }
    }
    FINISH
}
