//! The instructions, as data. What they may be used with is in `verify`, what they mean in
//! `scalar` and `reference`.

use crate::{Literal, Type};

/// A register, by number. Registers can be assigned any number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub(crate) u16);

/// A parameter, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub(crate) u8);

/// A piece of threadgroup memory, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SharedId(pub(crate) u8);

impl Reg {
    /// Its number: registers are numbered in the order in which the text first assigns them.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl ParamId {
    /// Its number, in the order of [`Program::params`](crate::Program::params).
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl SharedId {
    /// Its number, in the order of [`Program::shared`](crate::Program::shared).
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A number written in the program.
    Literal(Literal),
    /// A parameter that is the same for all threads.
    Uniform(ParamId),
}

impl<T: Into<Literal>> From<T> for Operand {
    fn from(value: T) -> Operand {
        Operand::Literal(value.into())
    }
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Operand {
        Operand::Reg(reg)
    }
}

macro_rules! names {
    ($(#[$doc:meta])* $enum:ident { $($(#[$item:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum {
            $($(#[$item])* $variant,)*
        }

        impl $enum {
            /// All of them.
            pub const ALL: &[$enum] = &[$($enum::$variant,)*];

            /// Its name in the text form.
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)*
                }
            }

            /// The one with this name.
            pub fn from_name(name: &str) -> Option<$enum> {
                $enum::ALL.iter().copied().find(|op| op.name() == name)
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

names! {
    /// Instructions with one operand. Floats only, unless it says otherwise.
    Unary {
        /// `-x`; floats and signed integers.
        Neg = "neg",
        /// Without its sign; floats and signed integers, whose least one stays as it is.
        Abs = "abs",
        /// -1, 0 or 1; floats and signed integers.
        Sign = "sign",
        /// All bits turned; integers and booleans.
        Not = "not",
        /// The square root.
        Sqrt = "sqrt",
        /// `1 / sqrt(x)`.
        Rsqrt = "rsqrt",
        /// `1 / x`.
        Recip = "recip",
        /// e to the power x.
        Exp = "exp",
        /// 2 to the power x.
        Exp2 = "exp2",
        /// The natural logarithm.
        Log = "log",
        /// The logarithm to base 2.
        Log2 = "log2",
        /// The sine of radians.
        Sin = "sin",
        /// The cosine of radians.
        Cos = "cos",
        /// The tangent of radians.
        Tan = "tan",
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// The angle whose sine it is.
        Asin = "asin",
        /// The angle whose cosine it is.
        Acos = "acos",
        /// The angle whose tangent it is.
        Atan = "atan",
        /// The hyperbolic sine.
        Sinh = "sinh",
        /// The hyperbolic cosine.
        Cosh = "cosh",
        /// The inverse of the hyperbolic sine.
        Asinh = "asinh",
        /// The inverse of the hyperbolic cosine.
        Acosh = "acosh",
        /// The inverse of the hyperbolic tangent.
        Atanh = "atanh",
        /// `exp(x) - 1`, exact near 0.
        Expm1 = "expm1",
        /// `log(1 + x)`, exact near 0.
        Log1p = "log1p",
        /// The logarithm to base 10.
        Log10 = "log10",
        /// `1 / (1 + exp(-x))`.
        Sigmoid = "sigmoid",
        /// `x * sigmoid(x)`.
        Silu = "silu",
        /// `x * (1 + erf(x / sqrt(2))) / 2`.
        Gelu = "gelu",
        /// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`.
        GeluTanh = "gelu_tanh",
        /// The error function.
        Erf = "erf",
        /// The nearest whole number below.
        Floor = "floor",
        /// The nearest whole number above.
        Ceil = "ceil",
        /// The nearest whole number, the even one of two.
        Round = "round",
        /// The nearest whole number towards zero.
        Trunc = "trunc",
    }
}

names! {
    /// Instructions with two operands of one type, which is the result's too.
    Binary {
        /// The sum; numbers.
        Add = "add",
        /// The difference; numbers.
        Sub = "sub",
        /// The product; numbers.
        Mul = "mul",
        /// The quotient; numbers. Integers truncate, and give 0 when divided by 0.
        Div = "div",
        /// The remainder, with the sign of the dividend; numbers. Integers give 0 by 0.
        Rem = "rem",
        /// The smaller; numbers. NaN if either is.
        Min = "min",
        /// The larger; numbers. NaN if either is.
        Max = "max",
        /// The first to the power of the second; floats.
        Pow = "pow",
        /// The angle of the point (second, first); floats.
        Atan2 = "atan2",
        /// `sqrt(x² + y²)`, infinite if either is; floats.
        Hypot = "hypot",
        /// The first with the sign of the second; floats.
        Copysign = "copysign",
        /// The number next to the first in the direction of the second; floats.
        Nextafter = "nextafter",
        /// Bits in both; integers and booleans.
        And = "and",
        /// Bits in either; integers and booleans.
        Or = "or",
        /// Bits in one only; integers and booleans.
        Xor = "xor",
        /// Shifted left by the second modulo 32 or 64; integers.
        Shl = "shl",
        /// Shifted right by the second modulo 32 or 64, keeping the sign of signed integers.
        Shr = "shr",
    }
}

names! {
    /// Comparisons of two operands of one type. With NaN only `Ne` is true.
    Compare {
        /// Equal; every type.
        Eq = "eq",
        /// Not equal; every type.
        Ne = "ne",
        /// Less; numbers.
        Lt = "lt",
        /// Less or equal; numbers.
        Le = "le",
        /// Greater; numbers.
        Gt = "gt",
        /// Greater or equal; numbers.
        Ge = "ge",
    }
}

names! {
    /// Where a thread is. All are `u32`.
    Index {
        /// The number of the element in its domain, row-major (map form only).
        Element = "index",
        /// The thread in its threadgroup, along x.
        ThreadX = "thread.x",
        /// The thread in its threadgroup, along y.
        ThreadY = "thread.y",
        /// The thread in its threadgroup, along z.
        ThreadZ = "thread.z",
        /// The threadgroup in the grid, along x.
        GroupX = "group.x",
        /// The threadgroup in the grid, along y.
        GroupY = "group.y",
        /// The threadgroup in the grid, along z.
        GroupZ = "group.z",
        /// The thread in the whole grid, along x: `group.x * block.x + thread.x`.
        GlobalX = "global.x",
        /// The thread in the whole grid, along y.
        GlobalY = "global.y",
        /// The thread in the whole grid, along z.
        GlobalZ = "global.z",
        /// Threads of a threadgroup along x.
        BlockX = "block.x",
        /// Threads of a threadgroup along y.
        BlockY = "block.y",
        /// Threads of a threadgroup along z.
        BlockZ = "block.z",
        /// Threadgroups of the grid along x.
        GridX = "grid.x",
        /// Threadgroups of the grid along y.
        GridY = "grid.y",
        /// Threadgroups of the grid along z.
        GridZ = "grid.z",
        /// The thread in its threadgroup, counted along x, then y, then z.
        Linear = "linear",
        /// The thread in its simdgroup: `linear % 32`.
        Lane = "lane",
        /// The simdgroup in its threadgroup: `linear / 32`.
        Simdgroup = "simdgroup",
    }
}

names! {
    /// How the values of several threads become one.
    Fold {
        /// Their sum; numbers.
        Sum = "sum",
        /// Their product; numbers.
        Prod = "prod",
        /// The smallest; numbers. NaN if any is.
        Min = "min",
        /// The largest; numbers. NaN if any is.
        Max = "max",
        /// Whether any is true; booleans.
        Any = "any",
        /// Whether all are true; booleans.
        All = "all",
    }
}

impl Fold {
    /// What makes one value of two.
    pub(crate) fn of_two(self) -> Binary {
        match self {
            Fold::Sum => Binary::Add,
            Fold::Prod => Binary::Mul,
            Fold::Min => Binary::Min,
            Fold::Max => Binary::Max,
            Fold::Any => Binary::Or,
            Fold::All => Binary::And,
        }
    }
}

impl Compare {
    /// As shading languages write it.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Compare::Eq => "==",
            Compare::Ne => "!=",
            Compare::Lt => "<",
            Compare::Le => "<=",
            Compare::Gt => ">",
            Compare::Ge => ">=",
        }
    }
}

names! {
    /// Which threads take part.
    Scope {
        /// The 32 threads of a simdgroup (fewer in the last one of a threadgroup).
        Simd = "simd",
        /// The threads of the threadgroup.
        Group = "group",
    }
}

names! {
    /// What is done to memory at once, with no other thread in between.
    Atomic {
        /// Adds.
        Add = "add",
        /// Keeps the smaller.
        Min = "min",
        /// Keeps the larger.
        Max = "max",
        /// Keeps bits in both.
        And = "and",
        /// Keeps bits in either.
        Or = "or",
        /// Keeps bits in one only.
        Xor = "xor",
        /// Replaces.
        Exchange = "exchange",
    }
}

/// Where memory is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The element of a view at this thread's position: `a[@]`.
    Here(ParamId),
    /// An element of a buffer: `a[%0]`.
    Buffer(ParamId, Operand),
    /// An element of threadgroup memory: `t[%0]`.
    Shared(SharedId, Operand),
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The operands are what their names and types say.
pub enum Inst {
    /// `%d = mov a`: a copy.
    Mov { dst: Reg, a: Operand },
    /// `%d = exp a`.
    Unary { op: Unary, dst: Reg, a: Operand },
    /// `%d = add a, b`.
    Binary { op: Binary, dst: Reg, a: Operand, b: Operand },
    /// `%d = lt a, b`: a boolean.
    Compare { op: Compare, dst: Reg, a: Operand, b: Operand },
    /// `%d = fma a, b, c`: `a * b + c` of floats, rounded once where the device can.
    Fma { dst: Reg, a: Operand, b: Operand, c: Operand },
    /// `%d = select cond, a, b`: `a` where `cond` is true, else `b`.
    Select { dst: Reg, cond: Operand, a: Operand, b: Operand },
    /// `%d = f32 a`: the nearest value of another type.
    Convert { to: Type, dst: Reg, a: Operand },
    /// `%d = bits_f32 a`: the same 32 bits as another number type.
    Bits { to: Type, dst: Reg, a: Operand },
    /// `%d = thread.x`.
    Index { index: Index, dst: Reg },
    /// `%d = load a[@]`.
    Load { dst: Reg, from: Place },
    /// `store a[@], value`.
    Store { to: Place, value: Operand },
    /// `%d = atomic_add a[i], value`: gives what was there before.
    Atomic { op: Atomic, dst: Reg, at: Place, value: Operand },
    /// `%d = simd_sum a`, `%d = group_max a`: every thread gets the result.
    Reduce { op: Fold, scope: Scope, dst: Reg, a: Operand },
    /// `barrier`: all threads of the group arrive before any goes on; memory is in order.
    Barrier,
    /// `if cond { … } else { … }`.
    If { cond: Operand, then: Vec<Inst>, other: Vec<Inst> },
    /// `loop { … }`: again and again until all threads have left it.
    Loop { body: Vec<Inst> },
    /// `break cond`: leaves the innermost loop where `cond` is true.
    Break { cond: Operand },
    /// `continue cond`: starts the next round of the innermost loop where `cond` is true.
    Continue { cond: Operand },
    /// `yield value`: what a map-form program gives to a reduction.
    Yield { value: Operand },
}

impl Inst {
    /// The register it assigns.
    pub fn dst(&self) -> Option<Reg> {
        match self {
            Inst::Mov { dst, .. }
            | Inst::Unary { dst, .. }
            | Inst::Binary { dst, .. }
            | Inst::Compare { dst, .. }
            | Inst::Fma { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::Convert { dst, .. }
            | Inst::Bits { dst, .. }
            | Inst::Index { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Atomic { dst, .. }
            | Inst::Reduce { dst, .. } => Some(*dst),
            Inst::Store { .. }
            | Inst::Barrier
            | Inst::If { .. }
            | Inst::Loop { .. }
            | Inst::Break { .. }
            | Inst::Continue { .. }
            | Inst::Yield { .. } => None,
        }
    }

    /// Calls `f` with each operand it reads itself (not those of the blocks inside it).
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        let place = |place: &Place, f: &mut dyn FnMut(Operand)| {
            if let Place::Buffer(_, index) | Place::Shared(_, index) = place {
                f(*index);
            }
        };
        match self {
            Inst::Mov { a, .. }
            | Inst::Unary { a, .. }
            | Inst::Convert { a, .. }
            | Inst::Bits { a, .. }
            | Inst::Reduce { a, .. } => f(*a),
            Inst::Binary { a, b, .. } | Inst::Compare { a, b, .. } => {
                f(*a);
                f(*b);
            }
            Inst::Fma { a, b, c, .. } => {
                f(*a);
                f(*b);
                f(*c);
            }
            Inst::Select { cond, a, b, .. } => {
                f(*cond);
                f(*a);
                f(*b);
            }
            Inst::Load { from, .. } => place(from, &mut f),
            Inst::Store { to: at, value } | Inst::Atomic { at, value, .. } => {
                place(at, &mut f);
                f(*value);
            }
            Inst::If { cond, .. } | Inst::Break { cond } | Inst::Continue { cond } => f(*cond),
            Inst::Yield { value } => f(*value),
            Inst::Index { .. } | Inst::Barrier | Inst::Loop { .. } => {}
        }
    }

    /// The blocks inside it.
    pub fn blocks(&self) -> [&[Inst]; 2] {
        match self {
            Inst::If { then, other, .. } => [then, other],
            Inst::Loop { body } => [body, &[]],
            _ => [&[], &[]],
        }
    }
}
