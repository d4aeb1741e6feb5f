//! Times maps and reductions on the CPU device: what NumPy's figures are set beside.

use bessemer_core::{Batch, DType, Device, Element, Operation, Shape, View};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_ops::{Map, Reduce, ReduceKind};
use bessemer_program::{Builder, Direction, Program, Unary};
use std::time::Instant;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let cpu = Cpu::open(CpuOptions { threads: Some(2), ..Default::default() })?;
    for n in [10_000, 1_000_000, 16_000_000] {
        let views: Vec<View> = (0..4).map(|i| random(&cpu, n, i)).collect::<Outcome<_>>()?;
        let [a, b, c, out] = &views[..] else { unreachable!() };
        let add = map(2, |b, x| b.add(x[0], x[1]))?;
        time(&cpu, &format!("add {n}"), || Map {
            program: add.clone(),
            inputs: vec![a.into(), b.into()],
            outputs: vec![out.clone()],
        })?;
        time(&cpu, &format!("add in place {n}"), || Map {
            program: add.clone(),
            inputs: vec![out.into(), b.into()],
            outputs: vec![out.clone()],
        })?;
        let mut builder = Builder::new("chain");
        let [x, y, z] = ["x", "y", "z"].map(|name| builder.view(name, DType::F32, Direction::In));
        let (x, y, z) = (builder.load(x), builder.load(y), builder.load(z));
        let value = builder.mul(x, y);
        let value = builder.add(value, z);
        let value = builder.max(value, 0.0);
        builder.yield_(value);
        let chain = builder.finish()?;
        let scalar = View::new(&cpu.alloc(4)?, DType::F32, Shape::SCALAR)?;
        time(&cpu, &format!("relu(a*b+c).sum() {n}"), || Reduce {
            program: chain.clone(),
            kind: ReduceKind::Sum,
            axes: vec![0],
            keepdim: false,
            inputs: vec![a.into(), b.into(), c.into()],
            output: scalar.clone(),
        })?;
        for op in [
            Unary::Neg,
            Unary::Exp,
            Unary::Tanh,
            Unary::Sigmoid,
            Unary::Sin,
            Unary::Log,
            Unary::Erf,
            Unary::Gelu,
        ] {
            let program = map(1, |b, x| b.unary(op, x[0]))?;
            time(&cpu, &format!("{op} {n}"), || Map {
                program: program.clone(),
                inputs: vec![a.into()],
                outputs: vec![out.clone()],
            })?;
        }
    }
    let side = 2048;
    let shape = Shape::new(&[side, side])?;
    let square = |seed| -> Outcome<View> {
        Ok(random(&cpu, side * side, seed)?.reshape(shape)?.ok_or("gapless")?)
    };
    let (a, b, out) = (square(1)?, square(2)?, square(3)?);
    let add = map(2, |b, x| b.add(x[0], x[1]))?;
    time(&cpu, "a + b.T 2048", || Map {
        program: add.clone(),
        inputs: vec![(&a).into(), b.transpose().unwrap().into()],
        outputs: vec![out.clone()],
    })?;
    for axis in [0, 1] {
        let mut builder = Builder::new("identity");
        let x = builder.view("x", DType::F32, Direction::In);
        let x = builder.load(x);
        builder.yield_(x);
        let program = builder.finish()?;
        let output = View::new(&cpu.alloc(side * 4)?, DType::F32, Shape::new(&[side])?)?;
        for kind in [ReduceKind::Sum, ReduceKind::Max, ReduceKind::ArgMax] {
            let output = if kind == ReduceKind::ArgMax {
                output.reinterpret(DType::U32)?
            } else {
                output.clone()
            };
            time(&cpu, &format!("{kind} 2048x2048 over {axis}"), || Reduce {
                program: program.clone(),
                kind,
                axes: vec![axis],
                keepdim: false,
                inputs: vec![(&a).into()],
                output: output.clone(),
            })?;
        }
    }
    Ok(())
}

fn map(
    inputs: usize,
    f: impl Fn(&mut Builder, &[bessemer_program::Operand]) -> bessemer_program::Operand,
) -> Outcome<Program> {
    let mut b = Builder::new("map");
    let views: Vec<_> =
        (0..inputs).map(|i| b.view(&format!("x{i}"), DType::F32, Direction::In)).collect();
    let out = b.view("out", DType::F32, Direction::Out);
    let values: Vec<_> = views.into_iter().map(|view| b.load(view)).collect();
    let value = f(&mut b, &values);
    b.store(out, value);
    Ok(b.finish()?)
}

fn random(cpu: &Cpu, n: usize, seed: u32) -> Outcome<View> {
    let view = View::new(&cpu.alloc(n * 4)?, DType::F32, Shape::new(&[n])?)?;
    let values: Vec<f32> = (0..n as u32)
        .map(|i| ((i ^ seed).wrapping_mul(2_654_435_761) >> 8) as f32 / 4e6 - 2.0)
        .collect();
    cpu.write(&view.slice()?, f32::as_bytes(&values))?;
    Ok(view)
}

fn time<O: Operation + 'static>(cpu: &Cpu, name: &str, make: impl Fn() -> O) -> Outcome {
    // Names on the command line choose what is timed.
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if !wanted.is_empty() && !wanted.iter().any(|wanted| name.contains(wanted)) {
        return Ok(());
    }
    let run = || -> Outcome<f64> {
        let start = Instant::now();
        let mut batch = Batch::new();
        batch.push(make())?;
        cpu.wait(cpu.submit(&batch)?)?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    let start = Instant::now();
    let mut best = f64::MAX;
    while start.elapsed().as_millis() < 300 {
        best = best.min(run()?);
    }
    println!("{name:30} {best:12.2} us");
    Ok(())
}
