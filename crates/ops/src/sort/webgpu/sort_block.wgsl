// A workgroup for each block of a row: sorts it, or, if it is SORTED but for distances within blocks,
// merges it. Elements are keys that grow with them, and places, by which equal ones are told
// apart: the order is stable. What lies behind the row is larger than anything in it.
OPERANDS
MATHS
KEYS

var<workgroup> keys: array<KEY_TYPE, BLOCK>;
var<workgroup> places: array<u32, BLOCK>;

fn key_of_float(x: f32) -> u32 {
    if !is_true(x) { return 0x80000000u; }
    let bits = bitcast<u32>(x);
    return select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
}

fn exchange(a: u32, b: u32) {
    let first = keys[a];
    let second = keys[b];
    if above(first, second) || (same(first, second) && places[a] > places[b]) {
        keys[a] = second;
        keys[b] = first;
        let place = places[a];
        places[a] = places[b];
        places[b] = place;
    }
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32
) {
    let number = group.y * 32768u + group.x;
    if number >= params.rows * params.blocks { return; }
    let row = number / params.blocks;
    let start = number % params.blocks * BLOCK;
    let sorted = SORTED;
    let row_of_x = row_x(row);
    for (var i = thread; i < BLOCK; i += THREADS) {
        let at = start + i;
        var key = most();
        var place = 0xffffffffu;
        if at < params.width {
            if sorted {
                key = kept_key(row * params.width + at);
                place = kept[PLACES + row * params.width + at];
            } else {
                let x = load_x(row_of_x + i32(at) * params.x_step);
                key = KEY;
                if params.descending != 0u { key = ~key; }
                if LAST_KEY { key = most(); }
                place = at;
            }
        }
        keys[i] = key;
        places[i] = place;
    }
    workgroupBarrier();
    for (var run = select(2u, BLOCK, sorted); run <= BLOCK; run = run << 1u) {
        if !sorted {
            for (var i = thread; i < BLOCK / 2u; i += THREADS) {
                let first = i / (run / 2u) * run;
                let in_run = i % (run / 2u);
                exchange(first + in_run, first + run - 1u - in_run);
            }
            workgroupBarrier();
        }
        for (var apart = run >> select(2u, 1u, sorted); apart > 0u; apart = apart >> 1u) {
            for (var i = thread; i < BLOCK / 2u; i += THREADS) {
                let a = i / apart * 2u * apart + i % apart;
                exchange(a, a + apart);
            }
            workgroupBarrier();
        }
    }
    let x = row_of_x;
    let out = row_out(row);
    for (var i = thread; i < BLOCK; i += THREADS) {
        let at = start + i;
        if at >= params.width { break; }
        let place = places[i];
        if params.last != 0u {
            store_out(out + i32(at) * params.out_step, SAVE);
        } else {
            keep_key(row * params.width + at, keys[i]);
            kept[PLACES + row * params.width + at] = place;
        }
    }
}
