//! Conformance cases.

use super::Kernel;
use crate::{
    bind::Input,
    case::{Case, Tolerance},
};
use bessemer_core::DType::{F16, F32, I32, U32};
use bessemer_program::{LaunchConfig, Program};

fn parse(text: &str) -> Program {
    Program::parse("case.bp", text).expect("a case's program is right")
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for n in [1u32, 63, 64, 1000] {
        let name = format!("saxpy of {n}");
        let case = Case::new("kernel", name, Tolerance::of(F32), move |f| {
            let program = parse(
                "program saxpy(in buffer x: f16, inout buffer y: f32, uniform a: f32, uniform n: u32) {
                    %i = global.x
                    %inside = lt %i, n
                    if %inside {
                        %x = load x[%i]
                        %y = load y[%i]
                        %y = fma %x, a, %y
                        store y[%i], %y
                    }
                }",
            );
            let inputs: [Input; 3] =
                [f.random(F16, &[n as usize])?.into(), 0.5f32.into(), n.into()];
            Ok(Kernel {
                program,
                launch: LaunchConfig::linear(n, 64),
                inputs: inputs.into(),
                outputs: vec![f.random(F32, &[n as usize])?],
            })
        });
        cases.push(if n == 1000 { case.quick() } else { case });
    }
    cases.push(Case::new("kernel", "tree sum in threadgroup memory", Tolerance::of(F32), |f| {
        let program = parse(
            "program tree(in buffer x: f32, out buffer sums: f32) {
                shared part: f32[256]
                %t = linear
                %i = global.x
                %x = load x[%i]
                store part[%t], %x
                %width = block.x
                loop {
                    %width = shr %width, 1u
                    %done = eq %width, 0u
                    break %done
                    barrier
                    %works = lt %t, %width
                    if %works {
                        %other = add %t, %width
                        %a = load part[%t]
                        %b = load part[%other]
                        %c = add %a, %b
                        store part[%t], %c
                    }
                }
                barrier
                %first = eq %t, 0u
                if %first {
                    %g = group.x
                    %sum = load part[0u]
                    store sums[%g], %sum
                }
            }",
        );
        Ok(Kernel {
            program,
            launch: LaunchConfig::linear(2560, 256),
            inputs: vec![f.random(F32, &[10, 256])?.into()],
            outputs: vec![f.output(F32, &[10])?],
        })
    }));
    cases.push(Case::new("kernel", "transpose by tiles", Tolerance::EXACT, |f| {
        let program = parse(
            "program turn(in buffer x: i32, out buffer y: i32, uniform rows: u32, uniform columns: u32) {
                shared tile: i32[256]
                %tx = thread.x
                %ty = thread.y
                %gx = global.x
                %gy = global.y
                %in_x = lt %gx, columns
                %in_y = lt %gy, rows
                %inside = and %in_x, %in_y
                %at = mul %ty, 16u
                %at = add %at, %tx
                if %inside {
                    %from = mul %gy, columns
                    %from = add %from, %gx
                    %v = load x[%from]
                    store tile[%at], %v
                }
                barrier
                if %inside {
                    %to = mul %gx, rows
                    %to = add %to, %gy
                    %v2 = load tile[%at]
                    store y[%to], %v2
                }
            }",
        );
        let inputs: [Input; 3] = [f.random(I32, &[37, 50])?.into(), 37u32.into(), 50u32.into()];
        Ok(Kernel {
            program,
            launch: LaunchConfig { grid: [4, 3, 1], block: [16, 16, 1] },
            inputs: inputs.into(),
            outputs: vec![f.output(I32, &[50, 37])?],
        })
    }));
    cases.push(Case::new("kernel", "histogram by atomics", Tolerance::EXACT, |f| {
        let program = parse(
            "program histogram(in buffer x: u32, inout buffer bins: u32) {
                %i = global.x
                %x = load x[%i]
                %old = atomic_add bins[%x], 1u
            }",
        );
        Ok(Kernel {
            program,
            launch: LaunchConfig::linear(4096, 128),
            inputs: vec![f.random(U32, &[4096])?.into()],
            outputs: vec![f.operand(U32, &[100], |_, _| 0.0)?],
        })
    }));
    cases.push(Case::new(
        "kernel",
        "simdgroup and threadgroup reductions",
        Tolerance::of(F32),
        |f| {
            let program = parse(
                "program reduce(in buffer x: f32, out buffer y: f32) {
                %i = global.x
                %x = load x[%i]
                %s = simd_sum %x
                %m = group_max %x
                %p = simd_min %s
                %c = gt %x, 3.0
                %any = group_any %c
                %f = f32 %any
                %y = add %p, %m
                %y = add %y, %f
                store y[%i], %y
            }",
            );
            Ok(Kernel {
                program,
                launch: LaunchConfig::linear(400, 80),
                inputs: vec![f.random(F32, &[400])?.into()],
                outputs: vec![f.output(F32, &[400])?],
            })
        },
    ));
    cases
}
