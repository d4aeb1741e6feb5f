//! The reference interpreter, which defines the meaning of programs: threads of a group in lockstep, one value at a time.

use crate::{
    Index, Inst, LaunchConfig, Literal, MAX_ROUNDS, Operand, ParamId, Place, Program, SIMD_WIDTH,
    Scope, Type,
    program::{Source, endless, stopped},
    scalar,
};
use bessemer_core::{Meter, TimeIsUp};

/// The memory of a program while it runs, as registers hold it. What is outside of a buffer is an
/// error.
pub trait Memory {
    /// Element `index` of a parameter.
    fn load(&mut self, param: ParamId, index: usize) -> Option<Literal>;

    /// Replaces element `index` of a parameter.
    fn store(&mut self, param: ParamId, index: usize, value: Literal) -> Option<()>;
}

/// What a run needs to know.
struct Run<'p, 'm, 'd> {
    source: &'p Source,
    uniforms: &'p [Literal],
    memory: &'m mut dyn Memory,
    shared: Vec<Vec<Literal>>,
    launch: LaunchConfig,
    group: [u32; 3],
    /// The element, in map form.
    element: usize,
    /// By register, then thread.
    registers: Vec<Vec<Literal>>,
    yielded: Option<Literal>,
    /// Rounds of loops that the group may still take.
    rounds_left: u32,
    meter: &'m mut Meter<'d>,
}

/// Which threads go on.
struct Mask {
    active: Vec<bool>,
    /// Threads of the innermost loop that have not left this round of it.
    round: Vec<bool>,
    /// Threads of the innermost loop that have not left it.
    looping: Vec<bool>,
}

type Outcome<T = ()> = Result<T, String>;

/// Runs a map-form program on element `element` of its domain and gives what it yields.
///
/// `uniforms` holds one literal per parameter; those of memory are ignored. `meter` counts the work of
/// all elements, and stops them when their time is over.
///
/// ```
/// use bessemer_core::{Deadline, Meter};
/// use bessemer_program::{Literal, ParamId, Program, reference::{Memory, run_element}};
///
/// struct Cells(Vec<f32>);
///
/// impl Memory for Cells {
///     fn load(&mut self, _: ParamId, index: usize) -> Option<Literal> {
///         self.0.get(index).map(|&cell| cell.into())
///     }
///
///     fn store(&mut self, _: ParamId, index: usize, value: Literal) -> Option<()> {
///         self.0.get_mut(index).map(|cell| *cell = value.to_f64() as f32)
///     }
/// }
///
/// let text = "program twice(inout view x: f32) {\n    %x = load x[@]\n    %y = add %x, %x\n    store x[@], %y\n}";
/// let program = Program::parse("twice.bp", text)?;
/// let mut memory = Cells(vec![1.0, 2.0, 3.0]);
/// let mut meter = Meter::new(Deadline::none());
/// run_element(&program, &[Literal::from(0.0f32)], 1, &mut memory, &mut meter).unwrap();
/// assert_eq!(memory.0, [1.0, 4.0, 3.0]);
/// # Ok::<(), bessemer_program::Error>(())
/// ```
pub fn run_element(
    program: &Program,
    uniforms: &[Literal],
    element: usize,
    memory: &mut dyn Memory,
    meter: &mut Meter<'_>,
) -> Result<Option<Literal>, String> {
    let launch = LaunchConfig { grid: [1; 3], block: [1; 3] };
    let mut run = Run::new(program, uniforms, launch, memory, meter);
    run.element = element;
    run.start()?;
    Ok(run.yielded)
}

/// Runs a kernel-form program, one threadgroup after the other.
pub fn run_grid(
    program: &Program,
    uniforms: &[Literal],
    launch: LaunchConfig,
    memory: &mut dyn Memory,
    meter: &mut Meter<'_>,
) -> Result<(), String> {
    let [x, y, z] = launch.grid;
    let groups = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
    for group in groups {
        let mut run = Run::new(program, uniforms, launch, memory, meter);
        run.group = group;
        run.start()?;
    }
    Ok(())
}

impl<'p, 'm, 'd> Run<'p, 'm, 'd> {
    fn new(
        program: &'p Program,
        uniforms: &'p [Literal],
        launch: LaunchConfig,
        memory: &'m mut dyn Memory,
        meter: &'m mut Meter<'d>,
    ) -> Run<'p, 'm, 'd> {
        let source = program.source();
        let zero = |ty: Type| Literal::from_bits(ty, 0);
        let threads = launch.threads();
        let shared = source.shared.iter();
        let registers = source.registers.iter();
        Run {
            source,
            uniforms,
            memory,
            shared: shared.map(|s| vec![zero(s.ty); s.len as usize]).collect(),
            launch,
            group: [0; 3],
            element: 0,
            registers: registers.map(|&ty| vec![zero(ty); threads]).collect(),
            yielded: None,
            rounds_left: MAX_ROUNDS,
            meter,
        }
    }

    /// Counts work; an error if the time is over.
    fn spend(&mut self, work: usize) -> Outcome {
        self.meter.spend(work).map_err(|TimeIsUp| stopped(&self.source.name))
    }

    fn start(&mut self) -> Outcome {
        // Its own memory has just been set up.
        self.spend(self.shared.iter().map(Vec::len).sum())?;
        let all = vec![true; self.launch.threads()];
        let mut mask = Mask { active: all.clone(), round: all.clone(), looping: all };
        self.block(&self.source.body, &mut mask)
    }

    fn block(&mut self, block: &'p [Inst], mask: &mut Mask) -> Outcome {
        for inst in block {
            self.spend(mask.active.len())?;
            match inst {
                Inst::If { cond, then, other } => {
                    let before = mask.active.clone();
                    let holds = |run: &Self, t: usize| run.value(*cond, t).bits() != 0;
                    let taken: Vec<bool> = (0..before.len()).map(|t| holds(self, t)).collect();
                    for (branch, side) in [(then, true), (other, false)] {
                        let here = |t: usize| before[t] && mask.round[t] && taken[t] == side;
                        mask.active = (0..before.len()).map(here).collect();
                        self.block(branch, mask)?;
                    }
                    mask.active = (0..before.len()).map(|t| before[t] && mask.round[t]).collect();
                }
                Inst::Loop { body } => self.loop_(inst, body, mask)?,
                Inst::Break { cond } | Inst::Continue { cond } => {
                    let leaves = matches!(inst, Inst::Break { .. });
                    for t in 0..mask.active.len() {
                        if mask.active[t] && self.value(*cond, t).bits() != 0 {
                            mask.active[t] = false;
                            mask.round[t] = false;
                            mask.looping[t] &= !leaves;
                        }
                    }
                }
                Inst::Reduce { op, scope, dst, a } => {
                    let width = match scope {
                        Scope::Simd => SIMD_WIDTH,
                        Scope::Group => self.launch.threads(),
                    };
                    let values: Vec<Literal> =
                        (0..mask.active.len()).map(|t| self.value(*a, t)).collect();
                    for (part, values) in values.chunks(width).enumerate() {
                        let all = values.iter().copied().reduce(|a, b| scalar::fold(*op, a, b));
                        for (i, value) in all.iter().cycle().take(values.len()).enumerate() {
                            self.registers[dst.index()][part * width + i] = *value;
                        }
                    }
                }
                _ => {
                    for t in (0..mask.active.len()).filter(|&t| mask.active[t]) {
                        self.step(inst, t)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn loop_(&mut self, inst: &'p Inst, body: &'p [Inst], mask: &mut Mask) -> Outcome {
        let mut inner = Mask {
            active: mask.active.clone(),
            round: mask.active.clone(),
            looping: mask.active.clone(),
        };
        while inner.looping.contains(&true) {
            self.rounds_left = self.rounds_left.checked_sub(1).ok_or_else(|| {
                endless(&self.source.name, self.source.number_of(inst).unwrap_or(0))
            })?;
            inner.active.clone_from(&inner.looping);
            inner.round.clone_from(&inner.looping);
            self.block(body, &mut inner)?;
        }
        Ok(())
    }

    /// An instruction of one thread that needs no others.
    fn step(&mut self, inst: &Inst, t: usize) -> Outcome {
        let value = |operand: &Operand| self.value(*operand, t);
        let result = match inst {
            Inst::Mov { a, .. } => value(a),
            Inst::Unary { op, a, .. } => scalar::unary(*op, value(a)),
            Inst::Binary { op, a, b, .. } => scalar::binary(*op, value(a), value(b)),
            Inst::Compare { op, a, b, .. } => scalar::compare(*op, value(a), value(b)),
            Inst::Fma { a, b, c, .. } => scalar::fma(value(a), value(b), value(c)),
            Inst::Select { cond, a, b, .. } => match value(cond).bits() {
                0 => value(b),
                _ => value(a),
            },
            Inst::Convert { to, a, .. } => scalar::convert(*to, value(a)),
            Inst::Bits { to, a, .. } => Literal::from_bits(*to, value(a).bits()),
            Inst::Index { index, .. } => self.index(*index, t).into(),
            Inst::Load { from, .. } => self.load(from, t)?,
            Inst::Atomic { op, at, value, .. } => {
                let old = self.load(at, t)?;
                let new = scalar::atomic(*op, old, self.value(*value, t));
                self.store(at, t, new)?;
                old
            }
            Inst::Store { to, value } => return self.store(to, t, self.value(*value, t)),
            Inst::Yield { value } => {
                self.yielded = Some(self.value(*value, t));
                return Ok(());
            }
            _ => return Ok(()),
        };
        if let Some(dst) = inst.dst() {
            self.registers[dst.index()][t] = result;
        }
        Ok(())
    }

    fn value(&self, operand: Operand, t: usize) -> Literal {
        match operand {
            Operand::Reg(reg) => self.registers[reg.index()][t],
            Operand::Literal(literal) => literal,
            Operand::Uniform(param) => self.uniforms[param.index()],
        }
    }

    fn index(&self, index: Index, t: usize) -> u32 {
        let LaunchConfig { grid, block } = self.launch;
        let linear = t as u32;
        let thread =
            [linear % block[0], linear / block[0] % block[1], linear / block[0] / block[1]];
        let global = |axis: usize| self.group[axis] * block[axis] + thread[axis];
        match index {
            Index::Element => self.element as u32,
            Index::ThreadX => thread[0],
            Index::ThreadY => thread[1],
            Index::ThreadZ => thread[2],
            Index::GroupX => self.group[0],
            Index::GroupY => self.group[1],
            Index::GroupZ => self.group[2],
            Index::GlobalX => global(0),
            Index::GlobalY => global(1),
            Index::GlobalZ => global(2),
            Index::BlockX => block[0],
            Index::BlockY => block[1],
            Index::BlockZ => block[2],
            Index::GridX => grid[0],
            Index::GridY => grid[1],
            Index::GridZ => grid[2],
            Index::Linear => linear,
            Index::Lane => linear % SIMD_WIDTH as u32,
            Index::Simdgroup => linear / SIMD_WIDTH as u32,
        }
    }

    /// The element that a place means. Negative and huge indices are outside of everything.
    fn at(&self, place: &Place, t: usize) -> usize {
        match place {
            Place::Here(_) => self.element,
            Place::Buffer(_, index) | Place::Shared(_, index) => {
                let index = self.value(*index, t);
                match index.ty() {
                    Type::I32 => usize::try_from(index.low() as i32).unwrap_or(usize::MAX),
                    _ => index.bits() as usize,
                }
            }
        }
    }

    fn load(&mut self, place: &Place, t: usize) -> Outcome<Literal> {
        let at = self.at(place, t);
        let found = match place {
            Place::Here(param) | Place::Buffer(param, _) => self.memory.load(*param, at),
            Place::Shared(shared, _) => self.shared[shared.index()].get(at).copied(),
        };
        found.ok_or_else(|| self.outside(place, at))
    }

    fn store(&mut self, place: &Place, t: usize, value: Literal) -> Outcome {
        let at = self.at(place, t);
        let done = match place {
            Place::Here(param) | Place::Buffer(param, _) => self.memory.store(*param, at, value),
            Place::Shared(shared, _) => {
                let memory = self.shared[shared.index()].get_mut(at);
                memory.map(|element| *element = value)
            }
        };
        done.ok_or_else(|| self.outside(place, at))
    }

    fn outside(&self, place: &Place, at: usize) -> String {
        let name = match place {
            Place::Here(param) | Place::Buffer(param, _) => &self.source.params[param.index()].name,
            Place::Shared(shared, _) => &self.source.shared[shared.index()].name,
        };
        match at {
            usize::MAX => format!("a negative index is out of range for {name}"),
            at => format!("element {at} is out of range for {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Memory for Nothing {
        fn load(&mut self, _: ParamId, _: usize) -> Option<Literal> {
            None
        }

        fn store(&mut self, _: ParamId, _: usize, _: Literal) -> Option<()> {
            None
        }
    }

    #[test]
    fn a_loop_without_an_end_is_named() {
        let text = "program spin(out buffer a: u32) {
            %n = mov 0u
            loop {
                loop {
                    %n = add %n, 1u
                    break true
                }
                %never = eq %n, 0u
                break %never
            }
            store a[0u], %n
        }";
        let program = Program::parse("spin.bp", text).unwrap();
        let launch = LaunchConfig { grid: [1; 3], block: [2, 1, 1] };
        for (rounds, number) in [(100, 1), (101, 2)] {
            let mut memory = Nothing;
            let mut meter = Meter::new(bessemer_core::Deadline::none());
            let mut run = Run::new(&program, &[], launch, &mut memory, &mut meter);
            run.rounds_left = rounds;
            let error = run.start().unwrap_err();
            assert!(error.starts_with(&format!("program spin: instruction {number} `loop`: ")));
        }
    }
}
