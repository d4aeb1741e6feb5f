//! A program and what it is launched with.

use crate::{Error, Inst, Operand, Result, Type, cpu::Code};
use bessemer_core::DType;
use bessemer_simd::Isa;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// A verified program. Clones share it, with all that was compiled from it.
///
/// Programs are made by a [`Builder`](crate::Builder) or read from text
/// ([`Program::parse`]); either way they have passed the verifier.
///
/// ```
/// use bessemer_program::Program;
///
/// let text = "program half(inout view x: f32) {
///     %x = load x[@]
///     %y = mul %x, 0.5
///     store x[@], %y
/// }";
/// let program = Program::parse("half.bp", text)?;
/// assert_eq!(program.params()[0].name, "x");
/// assert_eq!(program.clone(), program);
/// # Ok::<(), bessemer_program::Error>(())
/// ```
#[derive(Clone)]
pub struct Program(Arc<Inner>);

struct Inner {
    source: Source,
    form: Form,
    yields: Option<Type>,
    code: [OnceLock<Code>; Isa::ALL.len()],
    texts: Mutex<HashMap<String, Arc<str>>>,
}

/// What a program is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) shared: Vec<Shared>,
    pub(crate) registers: Vec<Type>,
    pub(crate) body: Vec<Inst>,
}

/// What a program is launched over.
///
/// ```
/// use bessemer_program::{Form, Program};
///
/// let map = Program::parse("m.bp", "program m(out view x: f32) {\n    store x[@], 1.0\n}")?;
/// let kernel = "program k(out buffer x: u32) {\n    %i = global.x\n    store x[%i], %i\n}";
/// let kernel = Program::parse("k.bp", kernel)?;
/// assert_eq!((map.form(), kernel.form()), (Form::Map, Form::Kernel));
/// # Ok::<(), bessemer_program::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The elements of a domain: it has views, or yields a value, or asks for its element's
    /// number. Every element is computed by itself.
    Map,
    /// A grid of threadgroups, by a [`LaunchConfig`].
    Kernel,
}

/// Something given at launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ParamKind,
    /// How elements are stored.
    pub dtype: DType,
}

/// The kinds of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// A strided view, addressed by the element's position in the domain.
    View(Direction),
    /// Raw elements, addressed by number.
    Buffer(Direction),
    /// One value for all threads.
    Uniform,
}

/// Whether memory is read, written or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Only read.
    In,
    /// Only written.
    Out,
    /// Read and written.
    InOut,
}

impl Direction {
    /// Whether it may be read.
    pub const fn reads(self) -> bool {
        !matches!(self, Direction::Out)
    }

    /// Whether it may be written.
    pub const fn writes(self) -> bool {
        !matches!(self, Direction::In)
    }

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "inout",
        }
    }
}

impl Param {
    /// The type of its elements in registers.
    pub fn ty(&self) -> Type {
        Type::of(self.dtype).unwrap_or(Type::F32)
    }

    /// Whether it is read and written, if it is memory.
    pub fn direction(&self) -> Option<Direction> {
        match self.kind {
            ParamKind::View(direction) | ParamKind::Buffer(direction) => Some(direction),
            ParamKind::Uniform => None,
        }
    }
}

/// Memory that the threads of a threadgroup share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shared {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// How many elements.
    pub len: u32,
}

/// How many threadgroups, and how many threads in each.
///
/// ```
/// use bessemer_program::LaunchConfig;
///
/// let launch = LaunchConfig::linear(1000, 256);
/// assert_eq!((launch.grid, launch.block), ([4, 1, 1], [256, 1, 1]));
/// assert!(launch.check("p").is_ok());
/// assert!(LaunchConfig { grid: [1; 3], block: [64, 64, 1] }.check("p").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaunchConfig {
    /// Threadgroups along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a threadgroup along x, y and z.
    pub block: [u32; 3],
}

impl LaunchConfig {
    /// Threadgroups of `block` threads in a row, enough for `threads`.
    pub fn linear(threads: u32, block: u32) -> LaunchConfig {
        LaunchConfig { grid: [threads.div_ceil(block.max(1)), 1, 1], block: [block, 1, 1] }
    }

    /// Threads of one threadgroup.
    ///
    /// ```
    /// use bessemer_program::LaunchConfig;
    ///
    /// let launch = LaunchConfig { grid: [4, 2, 1], block: [16, 16, 1] };
    /// assert_eq!((launch.threads(), launch.groups()), (256, 8));
    /// ```
    pub fn threads(&self) -> usize {
        self.block.iter().map(|&n| n as usize).product()
    }

    /// Threadgroups.
    pub fn groups(&self) -> usize {
        self.grid.iter().map(|&n| n as usize).product()
    }

    /// Whether it is within the limits every device has: 1 to 1024 threads per threadgroup, and
    /// less than 2^32 threads in all.
    pub fn check(&self, program: &str) -> Result<()> {
        let refuse = |rule: String| Err(Error::Launch { program: program.to_owned(), rule });
        let product = |sizes: [u32; 3]| {
            let [x, y, z] = sizes.map(u64::from);
            x.checked_mul(y)?.checked_mul(z)
        };
        let Some(threads @ 1..=MAX_THREADS) = product(self.block) else {
            return refuse(format!(
                "the threadgroup {:?} is out of range; use 1 to {MAX_THREADS} threads in all",
                self.block
            ));
        };
        match product(self.grid).and_then(|groups| groups.checked_mul(threads)) {
            Some(all) if all <= u64::from(u32::MAX) => Ok(()),
            _ => refuse(format!(
                "the grid {:?} of threadgroups of {threads} is too large; use less than 2^32 threads in all",
                self.grid
            )),
        }
    }
}

/// The most threads of a threadgroup.
pub const MAX_THREADS: u64 = 1024;

/// The most rounds of loops that a threadgroup, or the elements of a map that run together, may
/// take: more fail the launch, as a loop that never ends would.
pub const MAX_ROUNDS: u32 = 1 << 24;

/// What is said of a loop, by its number among the instructions, that took too many rounds.
pub(crate) fn endless(program: &str, number: usize) -> String {
    format!(
        "program {program}: instruction {number} `loop`: it has not ended after {MAX_ROUNDS} rounds"
    )
}

/// What is said of a program whose time is over.
pub(crate) fn stopped(program: &str) -> String {
    format!("program {program}: stopped at its time limit")
}

/// The threads of a simdgroup.
pub const SIMD_WIDTH: usize = 32;

impl Program {
    /// Of a source that has passed the verifier.
    pub(crate) fn new(source: Source, form: Form, yields: Option<Type>) -> Program {
        let (code, texts) = Default::default();
        Program(Arc::new(Inner { source, form, yields, code, texts }))
    }

    pub(crate) fn source(&self) -> &Source {
        &self.0.source
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.source.name
    }

    /// What it is given at launch.
    pub fn params(&self) -> &[Param] {
        &self.0.source.params
    }

    /// The memory that threads of a threadgroup share.
    pub fn shared(&self) -> &[Shared] {
        &self.0.source.shared
    }

    /// The types of its registers.
    pub fn registers(&self) -> &[Type] {
        &self.0.source.registers
    }

    /// Its instructions.
    pub fn body(&self) -> &[Inst] {
        &self.0.source.body
    }

    /// What it is launched over.
    pub fn form(&self) -> Form {
        self.0.form
    }

    /// The type of the value it yields, if it does.
    ///
    /// ```
    /// use bessemer_program::{Program, Type};
    ///
    /// let text = "program count(in view x: f32) {\n    %x = load x[@]\n    %y = gt %x, 0.0\n    yield %y\n}";
    /// assert_eq!(Program::parse("count.bp", text)?.yields(), Some(Type::Bool));
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn yields(&self) -> Option<Type> {
        self.0.yields
    }

    /// The type of an operand.
    pub fn type_of(&self, operand: Operand) -> Type {
        self.0.source.type_of(operand)
    }

    /// Whether it has a register, a parameter, threadgroup memory or a literal of type `ty`: not
    /// every device has all of them.
    ///
    /// ```
    /// use bessemer_program::{Program, Type};
    ///
    /// let text = "program p(in view x: f32, out view y: f64) {\n    %x = load x[@]\n    %y = f64 %x\n    store y[@], %y\n}";
    /// let program = Program::parse("p.bp", text)?;
    /// assert!(program.uses(Type::F64) && !program.uses(Type::I64));
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn uses(&self, ty: Type) -> bool {
        fn literals(block: &[Inst], ty: Type) -> bool {
            block.iter().any(|inst| {
                let mut found = false;
                inst.for_each_operand(|operand| {
                    found |= matches!(operand, Operand::Literal(literal) if literal.ty() == ty);
                });
                found || inst.blocks().into_iter().any(|block| literals(block, ty))
            })
        }
        self.registers().contains(&ty)
            || self.params().iter().any(|param| param.ty() == ty)
            || self.shared().iter().any(|shared| shared.ty == ty)
            || literals(self.body(), ty)
    }

    /// Arithmetic instructions for one element or thread; those in loops count once.
    pub fn flops(&self) -> u64 {
        fn count(block: &[Inst]) -> u64 {
            let each = |inst: &Inst| match inst {
                Inst::Unary { .. } | Inst::Binary { .. } | Inst::Compare { .. } => 1,
                Inst::Reduce { .. } => 1,
                Inst::Fma { .. } => 2,
                _ => inst.blocks().into_iter().map(count).sum(),
            };
            block.iter().map(each).sum()
        }
        count(self.body())
    }

    /// The same program compiled for a CPU with `isa`; made at the first call.
    pub fn code(&self, isa: Isa) -> &Code {
        self.0.code[isa as usize].get_or_init(|| Code::new(self, isa))
    }

    /// The same program as text for a GPU, by a key that says in which form; made at the first call.
    pub fn text(&self, key: &str, make: impl FnOnce() -> String) -> Arc<str> {
        let mut texts = self.0.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = texts.get(key) {
            return Arc::clone(text);
        }
        let text: Arc<str> = make().into();
        texts.insert(key.to_owned(), Arc::clone(&text));
        text
    }
}

impl Source {
    /// The number of an instruction of this program, in the order of the text.
    pub(crate) fn number_of(&self, inst: &Inst) -> Option<usize> {
        fn count(block: &[Inst], inst: &Inst, number: &mut usize) -> bool {
            block.iter().any(|here| {
                let found = std::ptr::eq(here, inst);
                *number += usize::from(!found);
                found || here.blocks().into_iter().any(|block| count(block, inst, number))
            })
        }
        let mut number = 0;
        count(&self.body, inst, &mut number).then_some(number)
    }

    /// The type of an operand. Those of another program are refused by `rules`; until then any
    /// type will do for them.
    pub(crate) fn type_of(&self, operand: Operand) -> Type {
        let found = match operand {
            Operand::Reg(reg) => self.registers.get(reg.index()).copied(),
            Operand::Literal(literal) => Some(literal.ty()),
            Operand::Uniform(param) => self.params.get(param.index()).map(Param::ty),
        };
        found.unwrap_or(Type::F32)
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Program) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.source == other.0.source
    }
}

impl Eq for Program {}

impl std::hash::Hash for Program {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.source.hash(state);
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
