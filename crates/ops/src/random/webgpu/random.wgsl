// A thread for each counter of Philox 4×32-10, which gives EACH numbers.
OPERANDS
MATHS

fn philox(start: vec4<u32>, start_key: vec2<u32>) -> vec4<u32> {
    var counter = start;
    var key = start_key;
    for (var round = 0; round < 10; round++) {
        let p = wide_product(0xd2511f53u, counter.x);
        let q = wide_product(0xcd9e8d57u, counter.z);
        counter = vec4<u32>(q.y ^ counter.y ^ key.x, q.x, p.y ^ counter.w ^ key.y, p.x);
        key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
    }
    return counter;
}

// From 0 to before 1.
fn share(word: u32) -> f32 { return f32(word >> 8u) * 5.9604645e-8; }

fn uniform_of(word: u32) -> f32 { return min(share(word) * params.range + params.low, params.most); }

// Two normal numbers of two words.
fn normals(first: u32, second: u32) -> vec2<f32> {
    let radius = sqrt(-2.0 * log_f32(share(first) + 5.9604645e-8)) * params.range;
    // Quarter turns, and what is left of them.
    let turns = share(second) * 4.0;
    let quarters = round(turns);
    let angle = (turns - quarters) * 1.57079633;
    let s = sin_reduced(angle);
    let c = cos_reduced(angle);
    let quarter = u32(quarters) & 3u;
    let odd = (quarter & 1u) != 0u;
    var cosine = select(c, s, odd);
    var sine = select(s, c, odd);
    if quarter == 1u || quarter == 2u { cosine = -cosine; }
    if quarter >= 2u { sine = -sine; }
    return vec2<f32>(radius * cosine + params.low, radius * sine + params.low);
}

fn integer(high: u32, rest: u32) -> u32 {
    let count = params.last_bits + 1u;
    // All of 2^32.
    if count == 0u { return params.low_bits + high; }
    let product = wide_product(high, count);
    let sum = product.x + wide_product(rest, count).y;
    return params.low_bits + product.y + select(0u, 1u, sum < product.x);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.counters || id.x >= params.row { return; }
    let words = philox(vec4<u32>(i, 0u, params.stream, 0u), vec2<u32>(params.seed_low, params.seed_high));
    NUMBERS
    for (var j = 0u; j < EACH; j++) {
        if i * EACH + j < params.count { store_out(i32(i * EACH + j), NUMBER(numbers[j])); }
    }
}
