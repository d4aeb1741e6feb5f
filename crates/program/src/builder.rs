//! Making programs from Rust.

use crate::{
    Atomic, Binary, Compare, Direction, Error, Fold, Index, Inst, Operand, Param, ParamId,
    ParamKind, Place, Program, Reg, Result, Scope, Shared, SharedId, Type, Unary, intern,
    program::Source, rules,
};
use bessemer_core::DType;

/// Makes a program, instruction by instruction.
///
/// Mistakes are remembered, and the first is reported by [`Builder::finish`]: no step in between
/// can fail.
///
/// ```
/// use bessemer_core::DType;
/// use bessemer_program::{Builder, Direction, Unary};
///
/// let mut b = Builder::new("silu_mul");
/// let (gate, up) = (b.view("gate", DType::F32, Direction::In), b.view("up", DType::F32, Direction::In));
/// let out = b.view("out", DType::F16, Direction::Out);
/// let x = b.load(gate);
/// let x = b.unary(Unary::Silu, x);
/// let y = b.load(up);
/// let z = b.mul(x, y);
/// b.store(out, z);
/// let program = b.finish()?;
/// assert_eq!(bessemer_program::Program::parse("silu_mul.bp", &program.to_string())?, program);
/// # Ok::<(), bessemer_program::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    source: Source,
    /// The blocks that are open, innermost last; the first is the body.
    open: Vec<Vec<Inst>>,
    /// The first limit that was passed.
    limit: Option<String>,
    count: usize,
}

/// The most parameters; devices bind no more.
pub const MAX_PARAMS: usize = 30;
/// The most registers.
pub const MAX_REGISTERS: usize = 4096;
/// The most instructions.
pub const MAX_INSTRUCTIONS: usize = 1 << 14;
/// How deep blocks may lie in each other.
pub const MAX_DEPTH: usize = 32;

impl Builder {
    /// A program with no instructions.
    pub fn new(name: &str) -> Builder {
        Builder {
            source: Source {
                name: name.to_owned(),
                params: Vec::new(),
                shared: Vec::new(),
                registers: Vec::new(),
                body: Vec::new(),
            },
            open: vec![Vec::new()],
            limit: None,
            count: 0,
        }
    }

    /// A strided view, addressed by position.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::{Builder, Direction, Program};
    ///
    /// let mut b = Builder::new("negate");
    /// let x = b.view("x", DType::F16, Direction::InOut);
    /// let value = b.load(x);
    /// let value = b.unary(bessemer_program::Unary::Neg, value);
    /// b.store(x, value);
    /// let program = b.finish()?;
    /// assert!(program.to_string().starts_with("program negate(inout view x: f16) {"));
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn view(&mut self, name: &str, dtype: DType, direction: Direction) -> ParamId {
        self.param(name, ParamKind::View(direction), dtype)
    }

    /// Raw elements, addressed by number.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::{Builder, Direction, Program};
    ///
    /// use bessemer_program::Index;
    ///
    /// let mut b = Builder::new("numbers");
    /// let out = b.buffer("out", DType::U32, Direction::Out);
    /// let i = b.index(Index::GlobalX);
    /// b.store_at(out, i, i);
    /// assert_eq!(b.finish()?.params()[0].dtype, DType::U32);
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn buffer(&mut self, name: &str, dtype: DType, direction: Direction) -> ParamId {
        self.param(name, ParamKind::Buffer(direction), dtype)
    }

    /// One value for all threads.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::{Builder, Direction, Program};
    ///
    /// use bessemer_program::Type;
    ///
    /// let mut b = Builder::new("scale");
    /// let x = b.view("x", DType::F32, Direction::InOut);
    /// let k = b.uniform("k", Type::F32);
    /// let value = b.load(x);
    /// let value = b.mul(value, k);
    /// b.store(x, value);
    /// assert_eq!(b.finish()?.params()[1].name, "k");
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn uniform(&mut self, name: &str, ty: Type) -> Operand {
        Operand::Uniform(self.param(name, ParamKind::Uniform, ty.dtype()))
    }

    /// A parameter of any kind.
    pub fn param(&mut self, name: &str, kind: ParamKind, dtype: DType) -> ParamId {
        if self.source.params.len() == MAX_PARAMS {
            self.limit(format!("more than {MAX_PARAMS} parameters are not supported"));
            return ParamId(0);
        }
        self.source.params.push(Param { name: name.to_owned(), kind, dtype });
        ParamId(self.source.params.len() as u8 - 1)
    }

    /// `len` elements of threadgroup memory.
    pub fn shared(&mut self, name: &str, ty: Type, len: u32) -> SharedId {
        if self.source.shared.len() == MAX_PARAMS {
            self.limit(format!(
                "more than {MAX_PARAMS} pieces of threadgroup memory are not supported"
            ));
            return SharedId(0);
        }
        self.source.shared.push(Shared { name: name.to_owned(), ty, len });
        SharedId(self.source.shared.len() as u8 - 1)
    }

    /// A register that is assigned later, by [`Builder::assign`].
    pub fn register(&mut self, ty: Type) -> Reg {
        if self.source.registers.len() == MAX_REGISTERS {
            self.limit(format!("more than {MAX_REGISTERS} registers are not supported"));
            return Reg(0);
        }
        self.source.registers.push(ty);
        Reg(self.source.registers.len() as u16 - 1)
    }

    /// A new register with the value of `a`, to be assigned again.
    pub fn var(&mut self, a: impl Into<Operand>) -> Reg {
        let a = a.into();
        self.emit(|dst| Inst::Mov { dst, a })
    }

    /// Gives `dst` the value of `a`.
    pub fn assign(&mut self, dst: Reg, a: impl Into<Operand>) {
        self.push(Inst::Mov { dst, a: a.into() });
    }

    /// The element of a view at this thread's position.
    pub fn load(&mut self, view: ParamId) -> Operand {
        let from = Place::Here(view);
        self.value(|dst| Inst::Load { dst, from })
    }

    /// Replaces the element of a view at this thread's position.
    pub fn store(&mut self, view: ParamId, value: impl Into<Operand>) {
        let (to, value) = (Place::Here(view), value.into());
        self.push(Inst::Store { to, value });
    }

    /// Element `index` of a buffer.
    pub fn load_at(&mut self, buffer: ParamId, index: impl Into<Operand>) -> Operand {
        let from = Place::Buffer(buffer, index.into());
        self.value(|dst| Inst::Load { dst, from })
    }

    /// Replaces element `index` of a buffer.
    pub fn store_at(
        &mut self,
        buffer: ParamId,
        index: impl Into<Operand>,
        value: impl Into<Operand>,
    ) {
        let (to, value) = (Place::Buffer(buffer, index.into()), value.into());
        self.push(Inst::Store { to, value });
    }

    /// Element `index` of threadgroup memory.
    pub fn load_shared(&mut self, shared: SharedId, index: impl Into<Operand>) -> Operand {
        let from = Place::Shared(shared, index.into());
        self.value(|dst| Inst::Load { dst, from })
    }

    /// Replaces element `index` of threadgroup memory.
    pub fn store_shared(
        &mut self,
        shared: SharedId,
        index: impl Into<Operand>,
        value: impl Into<Operand>,
    ) {
        let (to, value) = (Place::Shared(shared, index.into()), value.into());
        self.push(Inst::Store { to, value });
    }

    /// Changes memory at once, and gives what was there before.
    pub fn atomic(&mut self, op: Atomic, at: Place, value: impl Into<Operand>) -> Operand {
        let value = value.into();
        self.value(|dst| Inst::Atomic { op, dst, at, value })
    }

    /// An instruction with one operand.
    pub fn unary(&mut self, op: Unary, a: impl Into<Operand>) -> Operand {
        let a = a.into();
        self.value(|dst| Inst::Unary { op, dst, a })
    }

    /// An instruction with two operands.
    pub fn binary(&mut self, op: Binary, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        let (a, b) = (a.into(), b.into());
        self.value(|dst| Inst::Binary { op, dst, a, b })
    }

    /// `a + b`.
    pub fn add(&mut self, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        self.binary(Binary::Add, a, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        self.binary(Binary::Sub, a, b)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        self.binary(Binary::Mul, a, b)
    }

    /// `a / b`.
    pub fn div(&mut self, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        self.binary(Binary::Div, a, b)
    }

    /// The smaller.
    pub fn min(&mut self, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        self.binary(Binary::Min, a, b)
    }

    /// The larger.
    pub fn max(&mut self, a: impl Into<Operand>, b: impl Into<Operand>) -> Operand {
        self.binary(Binary::Max, a, b)
    }

    /// A comparison.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::{Builder, Direction, Program};
    ///
    /// use bessemer_program::Compare;
    ///
    /// // Values below zero become zero.
    /// let mut b = Builder::new("relu");
    /// let x = b.view("x", DType::F32, Direction::InOut);
    /// let value = b.load(x);
    /// let below = b.compare(Compare::Lt, value, 0.0f32);
    /// let value = b.select(below, 0.0f32, value);
    /// b.store(x, value);
    /// assert_eq!(b.finish()?.name(), "relu");
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn compare(
        &mut self,
        op: Compare,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
    ) -> Operand {
        let (a, b) = (a.into(), b.into());
        self.value(|dst| Inst::Compare { op, dst, a, b })
    }

    /// `a * b + c` of floats.
    pub fn fma(
        &mut self,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        c: impl Into<Operand>,
    ) -> Operand {
        let (a, b, c) = (a.into(), b.into(), c.into());
        self.value(|dst| Inst::Fma { dst, a, b, c })
    }

    /// `a` where `cond` is true, else `b`.
    pub fn select(
        &mut self,
        cond: impl Into<Operand>,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
    ) -> Operand {
        let (cond, a, b) = (cond.into(), a.into(), b.into());
        self.value(|dst| Inst::Select { dst, cond, a, b })
    }

    /// The nearest value of another type. Nothing is done if it is of that type already.
    pub fn convert(&mut self, to: Type, a: impl Into<Operand>) -> Operand {
        let a = a.into();
        if self.source.type_of(a) == to {
            return a;
        }
        self.value(|dst| Inst::Convert { to, dst, a })
    }

    /// The nearest value that can be stored as `to`, as casts of arrays do it: floats saturate
    /// also to the range of small integers, and integers keep their low bits. Block formats can't
    /// be stored by programs; asked for one, it gives the value as a float.
    pub fn cast(&mut self, to: DType, a: impl Into<Operand>) -> Operand {
        let a = a.into();
        let float = self.type_of(a).is_float();
        let value = self.convert(Type::of(to).unwrap_or(Type::F32), a);
        if float { self.saturate(to, value) } else { value }
    }

    /// The nearest value that `to` can hold of one that registers hold as elements of `to`: only
    /// integers of 8 and 16 bits hold less than their registers.
    pub fn saturate(&mut self, to: DType, a: impl Into<Operand>) -> Operand {
        let a = a.into();
        let (least, most): (i32, i32) = match to {
            DType::I8 => (i8::MIN.into(), i8::MAX.into()),
            DType::I16 => (i16::MIN.into(), i16::MAX.into()),
            DType::U8 => return self.min(a, u32::from(u8::MAX)),
            DType::U16 => return self.min(a, u32::from(u16::MAX)),
            _ => return a,
        };
        let a = self.max(a, least);
        self.min(a, most)
    }

    /// The same bits as another number type of that many.
    pub fn bits(&mut self, to: Type, a: impl Into<Operand>) -> Operand {
        let a = a.into();
        self.value(|dst| Inst::Bits { to, dst, a })
    }

    /// Where the thread is.
    pub fn index(&mut self, index: Index) -> Operand {
        self.value(|dst| Inst::Index { index, dst })
    }

    /// One value out of those of several threads.
    pub fn reduce(&mut self, scope: Scope, op: Fold, a: impl Into<Operand>) -> Operand {
        let a = a.into();
        self.value(|dst| Inst::Reduce { op, scope, dst, a })
    }

    /// All threads of the group arrive here before any goes on.
    pub fn barrier(&mut self) {
        self.push(Inst::Barrier);
    }

    /// What `then` adds, where `cond` is true.
    pub fn if_(&mut self, cond: impl Into<Operand>, then: impl FnOnce(&mut Builder)) {
        self.if_else(cond, then, |_| {});
    }

    /// What `then` adds where `cond` is true, and what `other` adds elsewhere.
    pub fn if_else(
        &mut self,
        cond: impl Into<Operand>,
        then: impl FnOnce(&mut Builder),
        other: impl FnOnce(&mut Builder),
    ) {
        let (cond, then, other) = (cond.into(), self.block(then), self.block(other));
        self.push(Inst::If { cond, then, other });
    }

    /// What `body` adds, again and again.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::{Builder, Direction, Program};
    ///
    /// use bessemer_program::Compare;
    ///
    /// // x, doubled until it is at least 100.
    /// let mut b = Builder::new("grow");
    /// let x = b.view("x", DType::F32, Direction::InOut);
    /// let start = b.load(x);
    /// let value = b.var(start);
    /// b.loop_(|b| {
    ///     let enough = b.compare(Compare::Ge, value, 100.0f32);
    ///     b.break_if(enough);
    ///     let twice = b.add(value, value);
    ///     b.assign(value, twice);
    /// });
    /// b.store(x, value);
    /// assert!(b.finish()?.to_string().contains("loop {"));
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn loop_(&mut self, body: impl FnOnce(&mut Builder)) {
        let body = self.block(body);
        self.push(Inst::Loop { body });
    }

    /// Leaves the innermost loop where `cond` is true.
    pub fn break_if(&mut self, cond: impl Into<Operand>) {
        self.push(Inst::Break { cond: cond.into() });
    }

    /// Starts the next round of the innermost loop where `cond` is true.
    pub fn continue_if(&mut self, cond: impl Into<Operand>) {
        self.push(Inst::Continue { cond: cond.into() });
    }

    /// Gives a value to a reduction.
    pub fn yield_(&mut self, value: impl Into<Operand>) {
        self.push(Inst::Yield { value: value.into() });
    }

    /// The type of an operand.
    pub fn type_of(&self, operand: impl Into<Operand>) -> Type {
        self.source.type_of(operand.into())
    }

    /// The program, if the verifier agrees. An equal program made before is given again, with all
    /// that was compiled from it.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::{Builder, Direction, Program};
    ///
    /// let mut b = Builder::new("wrong");
    /// let x = b.view("x", DType::F32, Direction::In);
    /// b.store(x, 1.0f32);
    /// assert!(b.finish().is_err());
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn finish(mut self) -> Result<Program> {
        if let Some(rule) = self.limit {
            let program = self.source.name;
            return Err(Error::Program { program, rule });
        }
        self.source.body = self.open.swap_remove(0);
        intern::program(self.source)
    }

    /// Appends an instruction as it is. The text form assigns registers by name, so it makes
    /// instructions itself.
    pub(crate) fn push(&mut self, inst: Inst) {
        self.count += 1;
        if self.count > MAX_INSTRUCTIONS {
            self.limit(format!("more than {MAX_INSTRUCTIONS} instructions are not supported"));
        } else if let Some(block) = self.open.last_mut() {
            block.push(inst);
        }
    }

    /// Opens a block; [`Builder::close`] ends it.
    pub(crate) fn open(&mut self) {
        if self.open.len() > MAX_DEPTH {
            self.limit(format!("blocks are nested too deep; at most {MAX_DEPTH} are supported"));
        }
        self.open.push(Vec::new());
    }

    pub(crate) fn close(&mut self) -> Vec<Inst> {
        self.open.pop().unwrap_or_default()
    }

    /// The type that an instruction gives; that of its first operand if it may not be.
    pub(crate) fn result_type(&self, inst: &Inst) -> Type {
        match rules::result_type(&self.source, inst) {
            Ok(Some(ty)) => ty,
            _ => {
                let mut first = None;
                inst.for_each_operand(|operand| first = first.or(Some(operand)));
                first.map_or(Type::F32, |operand| self.source.type_of(operand))
            }
        }
    }

    pub(crate) fn params(&self) -> &[Param] {
        &self.source.params
    }

    pub(crate) fn shared_memory(&self) -> &[Shared] {
        &self.source.shared
    }

    fn block(&mut self, fill: impl FnOnce(&mut Builder)) -> Vec<Inst> {
        self.open();
        fill(self);
        self.close()
    }

    fn value(&mut self, inst: impl Fn(Reg) -> Inst) -> Operand {
        Operand::Reg(self.emit(inst))
    }

    fn emit(&mut self, inst: impl Fn(Reg) -> Inst) -> Reg {
        let ty = self.result_type(&inst(Reg(0)));
        let dst = self.register(ty);
        self.push(inst(dst));
        dst
    }

    fn limit(&mut self, rule: String) {
        self.limit.get_or_insert(rule);
    }
}
