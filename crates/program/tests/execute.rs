//! Fast execution against the meaning, on every instruction set of this machine.

use bessemer_core::{DType, Deadline, Element, MAX_RANK, Meter, Shape};
use bessemer_program::{
    Binary, Builder, Compare, Direction, Index, LaunchConfig, Literal, Operand, Param, ParamId,
    ParamKind, Program, Type, Unary,
    cpu::{Binding, BufferAt, Domain, Grid, ViewAt},
    reference::{self, Memory},
};
use bessemer_simd::Isa;

/// Buffers of elements as they are stored, one per parameter.
#[derive(Clone, Debug)]
struct Buffers {
    dtypes: Vec<DType>,
    lens: Vec<usize>,
    /// Aligned for all dtypes.
    words: Vec<Vec<u64>>,
}

impl Buffers {
    fn new(dtypes: Vec<DType>, elements: &[Vec<u64>]) -> Buffers {
        let lens: Vec<usize> = elements.iter().map(Vec::len).collect();
        let room = |len: &usize| vec![0; *len];
        let mut buffers = Buffers { dtypes, words: lens.iter().map(room).collect(), lens };
        for (param, elements) in elements.iter().enumerate() {
            for (i, &bits) in elements.iter().enumerate() {
                buffers.put(param, i, bits);
            }
        }
        buffers
    }

    fn bytes(&self, param: usize, index: usize) -> std::ops::Range<usize> {
        let size = self.dtypes[param].block_bytes();
        index * size..(index + 1) * size
    }

    fn get(&self, param: usize, index: usize) -> u64 {
        let mut bits = [0; 8];
        let bytes = self.bytes(param, index);
        let all = <u64 as Element>::as_bytes(&self.words[param]);
        bits[..bytes.len()].copy_from_slice(&all[bytes]);
        u64::from_le_bytes(bits)
    }

    fn put(&mut self, param: usize, index: usize, bits: u64) {
        let bytes = self.bytes(param, index);
        let from = bits.to_le_bytes();
        let all = <u64 as Element>::as_bytes_mut(&mut self.words[param]);
        all[bytes.clone()].copy_from_slice(&from[..bytes.len()]);
    }
}

impl Memory for Buffers {
    fn load(&mut self, param: ParamId, index: usize) -> Option<Literal> {
        let param = param.index();
        let inside = index < self.lens[param];
        inside.then(|| Literal::from_stored(self.dtypes[param], self.get(param, index)))
    }

    fn store(&mut self, param: ParamId, index: usize, value: Literal) -> Option<()> {
        let param = param.index();
        let inside = index < self.lens[param];
        inside.then(|| self.put(param, index, value.stored(self.dtypes[param])))
    }
}

/// Noise, whole numbers and special values.
fn data(seed: u32, len: usize, dtype: DType) -> Vec<u64> {
    let special = [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, 3e38];
    let ty = Type::of(dtype).unwrap();
    (0..len as u32)
        .map(|i| {
            let noise = (i + seed * 7919).wrapping_mul(2_654_435_761) ^ 0x9e37;
            let value = match ty {
                Type::F32 | Type::F64 if noise.is_multiple_of(13) => {
                    Literal::from_f64(ty, special[i as usize % special.len()])
                }
                Type::F32 | Type::F64 => Literal::from_f64(ty, f64::from(noise) / 4e8 - 5.0),
                Type::Bool => noise.is_multiple_of(3).into(),
                _ if noise.is_multiple_of(5) => {
                    let edges = [0, 1, u64::MAX, 1 << 31, 1 << 63, i64::MAX as u64, 1 << 32];
                    Literal::from_bits(ty, edges[i as usize % edges.len()])
                }
                _ => Literal::from_bits(ty, (noise % 1000).into()),
            };
            value.stored(dtype)
        })
        .collect()
}

fn setup(params: &[Param], len: usize) -> Buffers {
    let dtypes: Vec<_> = params.iter().map(|param| param.dtype).collect();
    let elements: Vec<_> = (1..).zip(&dtypes).map(|(i, &dtype)| data(i, len, dtype)).collect();
    Buffers::new(dtypes, &elements)
}

fn bindings(program: &Program, buffers: &mut Buffers, uniforms: &[Literal]) -> Vec<Binding> {
    let params = program.params().iter().enumerate();
    let bind = |(i, param): (usize, &Param)| {
        let first = buffers.words[i].as_mut_ptr().cast();
        let mut steps = [0; MAX_RANK];
        steps[0] = 1;
        match param.kind {
            ParamKind::View(_) => {
                Binding::View(ViewAt { first, dtype: param.dtype, steps, shared: false })
            }
            ParamKind::Buffer(_) => {
                Binding::Buffer(BufferAt { first, dtype: param.dtype, len: buffers.lens[i] })
            }
            ParamKind::Uniform => Binding::Uniform(uniforms[i]),
        }
    };
    params.map(bind).collect()
}

fn same(found: &Buffers, wanted: &Buffers, ulps: u64, what: &str) {
    for (param, &dtype) in found.dtypes.iter().enumerate() {
        for i in 0..found.lens[param] {
            let (a, b) = (found.get(param, i), wanted.get(param, i));
            let (x, y) = (Literal::from_stored(dtype, a), Literal::from_stored(dtype, b));
            let (x, y) = (x.to_f64(), y.to_f64());
            let float = dtype.is_float();
            // Zero of either sign, and NaN of any kind.
            let equal = float && (x == y || x.is_nan() && y.is_nan());
            let near = a.abs_diff(b) <= if float { ulps } else { 0 };
            assert!(
                near || equal,
                "{what}: element {i} of {param}: {a:#x} {x:e}, not {b:#x} {y:e}"
            );
        }
    }
}

/// A map over `len` elements, fast and by its meaning.
fn check_map(program: &Program, len: usize, uniforms: &[Literal], ulps: u64) {
    let mut wanted = setup(program.params(), len);
    let mut meter = Meter::new(Deadline::none());
    for element in 0..len {
        reference::run_element(program, uniforms, element, &mut wanted, &mut meter).unwrap();
    }
    for isa in Isa::here() {
        let mut found = setup(program.params(), len);
        let shape = Shape::new(&[len]).unwrap();
        let bindings = bindings(program, &mut found, uniforms);
        let domain = Domain::new(program, isa, &shape, &bindings, &[], &[]);
        // SAFETY: the bindings are the buffers, which nothing else touches.
        unsafe { domain.run(0..domain.boxes()) }.unwrap();
        same(&found, &wanted, ulps, &format!("{} on {isa}, {len} elements", program.name()));
    }
}

fn check_grid(
    program: &Program,
    launch: LaunchConfig,
    len: usize,
    uniforms: &[Literal],
    ulps: u64,
) {
    let mut wanted = setup(program.params(), len);
    let mut meter = Meter::new(Deadline::none());
    let result = reference::run_grid(program, uniforms, launch, &mut wanted, &mut meter);
    for isa in Isa::here() {
        let mut found = setup(program.params(), len);
        let bindings = bindings(program, &mut found, uniforms);
        let grid = Grid::new(program, isa, launch, &bindings);
        // SAFETY: as above.
        let outcome = unsafe { grid.run(0..launch.groups()) };
        assert_eq!(outcome.is_err(), result.is_err(), "{outcome:?} {result:?}");
        if result.is_ok() {
            same(&found, &wanted, ulps, &format!("{} on {isa}", program.name()));
        }
    }
}

/// Makes the two operands of an instruction.
type Operands = fn(&mut Builder, ParamId, ParamId, Type) -> (Operand, Operand);

const NUMBERS: [Type; 6] = [Type::F32, Type::I32, Type::U32, Type::F64, Type::I64, Type::U64];

#[test]
fn every_unary() {
    for &op in Unary::ALL {
        for &ty in op.types() {
            let mut b = Builder::new(op.name());
            let a = b.view("a", ty.dtype(), Direction::In);
            let c = b.view("c", ty.dtype(), Direction::Out);
            let x = b.load(a);
            let y = b.unary(op, x);
            b.store(c, y);
            if ty != Type::Bool {
                check_map(&b.finish().unwrap(), 777, &[], 6);
            }
        }
    }
}

#[test]
fn every_binary_and_comparison() {
    for ty in NUMBERS {
        let binaries = Binary::ALL.iter().filter(|op| op.types().contains(&ty));
        for &op in binaries {
            let operands: [Operands; 3] = [
                |b, a, c, _| (b.load(a), b.load(c)),
                |b, a, _, ty| (b.load(a), Literal::from_f64(ty, 3.0).into()),
                |b, a, _, ty| (Literal::from_f64(ty, 7.0).into(), b.load(a)),
            ];
            for make in operands {
                let mut b = Builder::new(op.name());
                let a = b.view("a", ty.dtype(), Direction::In);
                let c = b.view("c", ty.dtype(), Direction::In);
                let d = b.view("d", ty.dtype(), Direction::Out);
                let (x, y) = make(&mut b, a, c, ty);
                let z = b.binary(op, x, y);
                b.store(d, z);
                check_map(&b.finish().unwrap(), 1300, &[], 2);
            }
        }
        for &op in Compare::ALL {
            let mut b = Builder::new(op.name());
            let a = b.view("a", ty.dtype(), Direction::In);
            let c = b.view("c", ty.dtype(), Direction::In);
            let d = b.view("d", ty.dtype(), Direction::Out);
            let (x, y) = (b.load(a), b.load(c));
            let holds = b.compare(op, x, y);
            let z = b.select(holds, x, y);
            b.store(d, z);
            check_map(&b.finish().unwrap(), 100, &[], 0);
        }
    }
}

#[test]
fn conversions() {
    for from in NUMBERS {
        for to in Type::ALL {
            let mut b = Builder::new("convert");
            let a = b.view("a", from.dtype(), Direction::In);
            let c = b.view("c", to.dtype(), Direction::Out);
            let x = b.load(a);
            let y = b.convert(to, x);
            b.store(c, y);
            check_map(&b.finish().unwrap(), 1000, &[], 0);
        }
    }
}

#[test]
fn elements_of_every_dtype() {
    for from in DType::PLAIN.into_iter().filter(|&dtype| Type::of(dtype).is_some()) {
        for to in DType::PLAIN.into_iter().filter(|&dtype| Type::of(dtype).is_some()) {
            let mut b = Builder::new("cast");
            let a = b.view("a", from, Direction::In);
            let c = b.view("c", to, Direction::Out);
            let x = b.load(a);
            let y = b.cast(to, x);
            b.store(c, y);
            check_map(&b.finish().unwrap(), 1100, &[], 0);
        }
    }
}

#[test]
fn wide_registers_in_branches_loops_and_threadgroups() {
    let text = "
    program wide(in buffer a: i64, in buffer x: f64, inout buffer c: u64, uniform k: i64, uniform h: f64) {
        shared t: f64[64]
        shared n: i64[3]
        %t = linear
        %g = global.x
        %i = load a[%g]
        %x = load x[%g]
        store t[%t], %x
        store n[0u], k
        barrier
        %sum = mov 0i64
        %left = rem %i, 20i64
        %left = abs %left
        loop {
            %done = le %left, 0i64
            break %done
            %left = sub %left, 1i64
            %odd = and %left, 1i64
            %skip = bool %odd
            continue %skip
            %sum = add %sum, %i
        }
        %r = sub 63u, %t
        %y = load t[%r]
        %y = fma %y, h, 0.5f64
        %small = lt %y, 1e3f64
        if %small {
            %z = mov %y
        } else {
            %z = mov nan64
        }
        %bits = bits_u64 %z
        %w = u64 %sum
        %w = xor %w, %bits
        %m = load n[0u]
        %n = u64 %m
        %w = add %w, %n
        %all = group_max %i
        %most = u64 %all
        %few = simd_sum %w
        %w = select %small, %w, %most
        %w = add %w, %few
        store c[%g], %w
    }";
    let program = Program::parse("wide.bp", text).unwrap();
    let none = Literal::from(0i64);
    let uniforms = [none, none, none, Literal::from(i64::MIN + 5), Literal::f64(-2.5)];
    check_grid(&program, LaunchConfig::linear(192, 64), 192, &uniforms, 0);
}

#[test]
fn divergent_loops_and_branches() {
    let text = "
    program collatz(in view a: u32, out view steps: u32, out view top: u32, uniform limit: u32) {
        %n = load a[@]
        %n = rem %n, 100u
        %n = add %n, 1u
        %count = mov 0u
        %top = mov %n
        loop {
            %last = mov %n
            %done = eq %n, 1u
            break %done
            %odd = and %n, 1u
            %even = eq %odd, 0u
            if %even {
                %n = div %n, 2u
                %five = eq %n, 5u
                continue %five
            } else {
                %n = mul %n, 3u
                %n = add %n, 1u
            }
            %top = max %top, %n
            %count = add %count, 1u
            %over = ge %count, limit
            if %over {
                %count = add %count, 1000u
                break true
            }
        }
        %count = add %count, %last
        store steps[@], %count
        store top[@], %top
    }";
    let program = Program::parse("collatz.bp", text).unwrap();
    let zero = Literal::from(0u32);
    check_map(&program, 2500, &[zero, zero, zero, 50u32.into()], 0);
}

#[test]
fn threadgroups_share_memory() {
    let text = "
    program reverse_and_sum(inout buffer a: f32, inout buffer c: i32, uniform n: u32) {
        shared t: f32[64]
        %t = linear
        %g = global.x
        %x = load a[%g]
        store t[%t], %x
        barrier
        %last = block.x
        %r = sub %last, 1u
        %r = sub %r, %t
        %y = load t[%r]
        %s = simd_max %y
        %z = group_min %y
        %sum = add %s, %z
        store a[%g], %sum
        %lane = lane
        %simd = simdgroup
        %i = add %lane, %simd
        %old = atomic_max c[%i], 500
        %ok = lt %i, n
        if %ok {
            %old = atomic_add c[0], 2
        }
    }";
    let program = Program::parse("reverse.bp", text).unwrap();
    let uniforms = [0f32.into(), 0i32.into(), Literal::from(7u32)];
    check_grid(&program, LaunchConfig::linear(320, 64), 320, &uniforms, 0);
    // The last group reads beyond the buffer.
    check_grid(&program, LaunchConfig::linear(320, 64), 319, &uniforms, 0);
    let launch = LaunchConfig { grid: [1, 1, 1], block: [4, 4, 4] };
    check_grid(&program, launch, 64, &uniforms, 0);
}

#[test]
fn indices_of_three_dimensions() {
    for &index in Index::ALL.iter().filter(|&&index| index != Index::Element) {
        let mut b = Builder::new("index");
        let c = b.buffer("c", DType::U32, Direction::InOut);
        let value = b.index(index);
        let [x, y, z] = [Index::GlobalX, Index::GlobalY, Index::GlobalZ].map(|i| b.index(i));
        let at = b.mul(z, 6u32);
        let at = b.add(at, y);
        let at = b.mul(at, 6u32);
        let at = b.add(at, x);
        b.store_at(c, at, value);
        let launch = LaunchConfig { grid: [2, 3, 2], block: [3, 2, 2] };
        check_grid(&b.finish().unwrap(), launch, 6 * 6 * 4, &[0u32.into()], 0);
    }
}

#[test]
fn outside_is_an_error_and_says_so() {
    let text = "program p(inout buffer a: i32) {
        %t = thread.x
        %i = i32 %t
        %i = sub %i, 1
        store a[%i], 1
    }";
    let program = Program::parse("p.bp", text).unwrap();
    let mut buffers = setup(program.params(), 10);
    let bindings = bindings(&program, &mut buffers, &[]);
    let grid = Grid::new(&program, Isa::best(), LaunchConfig::linear(4, 4), &bindings);
    // SAFETY: as above.
    let error = unsafe { grid.run(0..1) }.unwrap_err();
    assert!(error.contains("element -1 is out of range"), "{error}");
}

#[test]
fn elements_know_their_number() {
    let mut b = Builder::new("numbers");
    let c = b.view("c", DType::U32, Direction::Out);
    let i = b.index(Index::Element);
    let x = b.mul(i, 3u32);
    b.store(c, x);
    check_map(&b.finish().unwrap(), 5000, &[], 0);
}

/// A loop whose threads never leave it, beside one that some leave.
const SPIN: &str = "program spin(inout buffer a: u32) {
    %g = global.x
    %n = mov 0u
    loop {
        %n = add %n, 1u
        %done = ge %n, 3u
        break %done
    }
    if true {
        loop {
            %n = load a[%g]
            %stop = eq %n, 7u
            break %stop
        }
    }
    store a[%g], 9u
}";

/// The time of a launch is over before, within and between loops, whoever runs it.
#[test]
fn a_program_ends_at_its_deadline() {
    let program = Program::parse("spin.bp", SPIN).unwrap();
    let launch = LaunchConfig { grid: [4000, 1, 1], block: [1024, 1, 1] };
    let wanted = "program spin: stopped at its time limit";
    let mut memory = Buffers::new(vec![DType::U32], &[vec![0; 4096 * 1024]]);
    let limit = Some(std::time::Duration::from_millis(20));
    let deadline = Deadline::start(limit);
    let bindings = bindings(&program, &mut memory, &[]);
    let grid = Grid::new(&program, Isa::best(), launch, &bindings).until(&deadline);
    // SAFETY: as above.
    assert_eq!(unsafe { grid.run(0..launch.groups()) }.unwrap_err(), wanted);
    assert!(deadline.stopped());
    let deadline = Deadline::start(limit);
    let mut meter = Meter::new(&deadline);
    let run = reference::run_grid(&program, &[], launch, &mut memory, &mut meter);
    assert_eq!(run.unwrap_err(), wanted);
}

/// A map without a loop is stopped between its blocks.
#[test]
fn a_long_map_ends_at_its_deadline() {
    let text = "program add(inout view a: u32) {\n    %x = load a[@]\n    store a[@], %x\n}";
    let program = Program::parse("add.bp", text).unwrap();
    let mut memory = setup(program.params(), 1 << 18);
    let bindings = bindings(&program, &mut memory, &[]);
    let shape = Shape::new(&[1 << 18]).unwrap();
    let over = Deadline::start(Some(std::time::Duration::ZERO));
    for (deadline, stops) in [(&over, true), (Deadline::none(), false)] {
        let domain =
            Domain::new(&program, Isa::best(), &shape, &bindings, &[], &[]).until(deadline);
        // SAFETY: as above.
        assert_eq!(unsafe { domain.run(0..domain.boxes()) }.is_err(), stops);
    }
    let mut meter = Meter::new(&over);
    let mut run = |element| {
        reference::run_element(&program, &[Literal::from(0u32)], element, &mut memory, &mut meter)
    };
    assert!((0..1 << 18).any(|element| run(element).is_err()));
}

#[test]
fn a_loop_without_an_end_is_stopped() {
    let program = Program::parse("spin.bp", SPIN).unwrap();
    let launch = LaunchConfig { grid: [2, 1, 1], block: [2, 1, 1] };
    let wanted = "program spin: instruction 7 `loop`: it has not ended after 16777216 rounds";
    // The first group ends, the second does not: one of its threads finds no 7.
    let mut memory = [7u32, 7, 7, 6];
    let at = BufferAt { first: memory.as_mut_ptr().cast(), dtype: DType::U32, len: 4 };
    let grid = Grid::new(&program, Isa::best(), launch, &[Binding::Buffer(at)]);
    // SAFETY: the buffer is here and nobody else's.
    let error = unsafe { grid.run(0..2) }.unwrap_err();
    assert_eq!(error, wanted);
    // SAFETY: as above. What failed once is not tried again.
    assert_eq!(unsafe { grid.run(0..1) }.unwrap_err(), wanted);
    drop(grid);
    assert_eq!(memory, [9, 9, 7, 6]);
}
