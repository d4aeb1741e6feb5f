// A thread for each pair of elements that are further apart than a block: those at both ends of a
// run, or `apart` from each other.
OPERANDS
KEYS

@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.row + id.x;
    if i >= params.threads || id.x >= params.row { return; }
    let row = i / params.pairs;
    let pair = i % params.pairs;
    var a: u32;
    var b: u32;
    if params.apart == 0u {
        let half_run = params.run / 2u;
        let first = pair / half_run * params.run;
        let in_run = pair % half_run;
        a = first + in_run;
        b = first + params.run - 1u - in_run;
    } else {
        a = pair / params.apart * 2u * params.apart + pair % params.apart;
        b = a + params.apart;
    }
    if b >= params.width { return; }
    let one = row * params.width + a;
    let other = row * params.width + b;
    let first = kept_key(one);
    let second = kept_key(other);
    let first_place = kept[PLACES + one];
    let second_place = kept[PLACES + other];
    if above(first, second) || (same(first, second) && first_place > second_place) {
        keep_key(one, second);
        keep_key(other, first);
        kept[PLACES + one] = second_place;
        kept[PLACES + other] = first_place;
    }
}
