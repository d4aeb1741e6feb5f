// A workgroup of 64 threads for 32 rows of 32 outputs, 32 along the rows at a time. A thread has 4
// by 4 of the outputs. `tile` is 256 and
// `four` is 4: a compiler that knew would unroll all of a tile. Tiles hold 4 rows (or outputs) in a vector, for each place along the row.
OPERANDS

var<workgroup> a_tile: array<vec4<f32>, 256>;
var<workgroup> b_tile: array<vec4<f32>, 256>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32
) {
    let m0 = 32u * group.y;
    let n0 = 32u * group.x;
    let four = 4u * (thread % 8u);
    let place = 4u * (thread / 8u);
    begin(group.z);
    var sum0 = vec4<f32>();
    var sum1 = vec4<f32>();
    var sum2 = vec4<f32>();
    var sum3 = vec4<f32>();
    for (var k = 0u; k < params.k; k += 32u) {
        let at = 8u * place + thread % 8u;
        for (var i = 0u; i < params.four; i++) {
            var a = vec4<f32>();
            var b = vec4<f32>();
            if k + place < params.k {
                a = quad_a(base_a(min(m0 + four + i, params.m - 1u)), k + place);
                b = quad_b(base_b(min(n0 + four + i, params.n - 1u)), k + place);
            }
            a_tile[at][i] = a.x;
            a_tile[at + 8u][i] = a.y;
            a_tile[at + 16u][i] = a.z;
            a_tile[at + 24u][i] = a.w;
            b_tile[at][i] = b.x;
            b_tile[at + 8u][i] = b.y;
            b_tile[at + 16u][i] = b.z;
            b_tile[at + 24u][i] = b.w;
        }
        workgroupBarrier();
        for (var i = 0u; i < params.tile; i += 8u) {
            let rows = a_tile[i + thread / 8u];
            let outputs = b_tile[i + thread % 8u];
            sum0 += rows.x * outputs;
            sum1 += rows.y * outputs;
            sum2 += rows.z * outputs;
            sum3 += rows.w * outputs;
        }
        workgroupBarrier();
    }
    put(m0 + place, n0 + four, sum0);
    put(m0 + place + 1u, n0 + four, sum1);
    put(m0 + place + 2u, n0 + four, sum2);
    put(m0 + place + 3u, n0 + four, sum3);
}
