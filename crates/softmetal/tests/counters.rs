//! Traffic of checked dispatches: bytes per binding, in all and different ones, and meetings.
mod common;
use common::*;

const ARGS: &str = "device float *x [[buffer(0)]], device float *y [[buffer(1)]], uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]";

/// Read, different bytes read, written, different bytes written, of each buffer.
fn traffic(args: &str, body: &str) -> Vec<[u64; 4]> {
    let d = checked();
    let source = format!("{HEAD}kernel void k({args}) {{ {body} }}");
    let (x, y) = (shared(&d, &[1f32; 128]), shared(&d, &[0f32; 128]));
    let c = &run(&d, &source, "k", &[Arg::Buffer(&x), Arg::Buffer(&y)], 128, 64).unwrap()[0];
    c.bindings.iter().map(|b| [b.read, b.unique_read, b.written, b.unique_written]).collect()
}

#[test]
fn plain_kernels() {
    let fixed = ARGS.replace("device float *x", "device const float *x");
    for args in [ARGS, &fixed] {
        let go = |body| traffic(args, body);
        assert_eq!(go("y[i] = x[i] + x[0];"), [[1024, 512, 0, 0], [0, 0, 512, 512]]);
        assert_eq!(go("if (i < 42) y[3 * i] = x[2 * i];"), [[168, 168, 0, 0], [0, 0, 168, 168]]);
        assert_eq!(
            go("for (uint k = 0; k < 4; k++) y[i] += x[127 - i];"),
            [[2048, 512, 0, 0], [2048, 512, 2048, 512]]
        );
        assert_eq!(
            go("((device half *)y)[i] = ((device const half *)x)[i + i % 2 * 2 + 1];"),
            [[256, 256, 0, 0], [0, 0, 256, 256]]
        );
        assert_eq!(
            go("if (i < 32) ((device float4 *)y)[i] = ((device const float4 *)x)[i / 2];"),
            [[512, 256, 0, 0], [0, 0, 512, 512]]
        );
        assert_eq!(
            go(
                "((device uchar *)y)[i * 4 + 1] = uchar(((device const packed_float3 *)x)[i % 40].y);"
            )[1],
            [0, 0, 128, 128]
        );
    }
    let atomic =
        "atomic_fetch_add_explicit((device atomic_uint *)y + i % 4, 1, memory_order_relaxed);";
    assert_eq!(traffic(ARGS, atomic)[1], [512, 16, 512, 16]);
}

#[test]
fn kernels_that_meet() {
    let d = checked();
    let source = format!(
        "{HEAD}kernel void k({ARGS}) {{ threadgroup float s[64]; s[t] = x[i] + x[0]; threadgroup_barrier(mem_flags::mem_threadgroup); float v = simd_sum(s[t]); if (i % 2 == 0) y[i] = v; }}"
    );
    let (x, y) = (shared(&d, &[1f32; 128]), shared(&d, &[0f32; 128]));
    let c = &run(&d, &source, "k", &[Arg::Buffer(&x), Arg::Buffer(&y)], 128, 64).unwrap()[0];
    assert_eq!(
        (c.bindings[0].read, c.bindings[0].unique_read, c.bindings[0].written),
        (1024, 512, 0)
    );
    assert_eq!(
        (c.bindings[1].written, c.bindings[1].unique_written, c.bindings[1].read),
        (256, 256, 0)
    );
    assert_eq!(
        (c.threadgroup_read, c.threadgroup_written, c.barriers, c.simd_operations),
        (512, 512, 2, 4)
    );
}
