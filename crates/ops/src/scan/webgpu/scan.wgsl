// Scans of rows by blocks of four elements for each thread. MODE 0: the total of each block. MODE 1:
// what comes before each block. MODE 2: every element. TOTAL is the type of totals, and BOTH puts two
// of them together.
OPERANDS
MATHS
CARRIES

var<workgroup> parts: array<TOTAL, THREADS>;

fn both(a: TOTAL, b: TOTAL) -> TOTAL { return BOTH; }

// What all threads before this one hold, put together; `parts` has what all hold at its end.
fn before(own: TOTAL, neutral: TOTAL, thread: u32) -> TOTAL {
    parts[thread] = own;
    workgroupBarrier();
    for (var apart = 1u; apart < THREADS; apart = apart << 1u) {
        var other = neutral;
        if thread >= apart { other = parts[thread - apart]; }
        workgroupBarrier();
        if thread >= apart { parts[thread] = both(other, parts[thread]); }
        workgroupBarrier();
    }
    if thread == 0u { return neutral; }
    return parts[thread - 1u];
}

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32
) {
    let number = group.y * 32768u + group.x;
    let neutral = neutral_total();
    let mode = MODE;
    if mode == 1 {
        if number >= params.rows { return; }
        let first_block = number * params.blocks;
        var carry = neutral;
        for (var first = 0u; first < params.blocks; first += THREADS) {
            let i = first + thread;
            var own = neutral;
            if i < params.blocks { own = carry_of(first_block + i); }
            let start = both(carry, before(own, neutral, thread));
            carry = both(carry, parts[THREADS - 1u]);
            if i < params.blocks { keep_carry(first_block + i, start); }
            workgroupBarrier();
        }
        return;
    }
    if number >= params.rows * params.blocks { return; }
    let row = number / params.blocks;
    let x = row_x(row);
    let first = (number % params.blocks * THREADS + thread) * 4u;
    var all: array<TOTAL, 4>;
    var own = neutral;
    for (var i = 0u; i < 4u; i++) {
        if first + i < params.width { own = both(own, load_x(x + i32(first + i) * params.x_step)); }
        all[i] = own;
    }
    var start = before(own, neutral, thread);
    if mode == 0 {
        if thread == THREADS - 1u { keep_carry(number, parts[THREADS - 1u]); }
        return;
    }
    if params.blocks > 1u { start = both(carry_of(number), start); }
    let out = row_out(row);
    if params.initial != 0u && first == 0u { store_out(out, neutral); }
    for (var i = 0u; i < 4u; i++) {
        if first + i < params.width {
            store_out(out + i32(first + i + params.initial) * params.out_step, both(start, all[i]));
        }
    }
}
