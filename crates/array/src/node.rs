//! What an array is a handle to: its elements if they are known, else how to get them.

use crate::{
    Array, Error, Result,
    axis_map::AxisMap,
    call::{Call, HostCall},
    reduce::Reduction,
};
use bessemer_core::{DType, Device, Shape, View};
use bessemer_program::{Binary, Compare, Unary};
use smallvec::SmallVec;
use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
};

/// One array: made once, evaluated at most once.
pub(crate) struct Node {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) dtype: DType,
    pub(crate) shape: Shape,
    /// The elements, or why there are none; unset until they were asked for.
    pub(crate) value: OnceLock<Result<View>>,
    /// How to get them; `None` once they are known.
    expr: Mutex<Option<Expr>>,
    pub(crate) mark: Mark,
}

/// How to get the elements of an array from those of others.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Kind,
    pub(crate) inputs: Inputs,
}

/// The arrays an expression is made of.
pub(crate) type Inputs = SmallVec<[Array; 3]>;

/// What is done with the inputs.
#[derive(Clone)]
pub(crate) enum Kind {
    /// The same number everywhere, as it is stored; no inputs.
    Fill(u64),
    /// Each element from those in the same place.
    Map(MapOp),
    /// One element from many.
    Reduce(Reduction),
    /// Other axes.
    Remap(Box<AxisMap>),
    /// The same elements in another shape.
    Reshape,
    /// An op that is not made of programs.
    Call(Arc<dyn Call>),
    /// A function that is computed on the host.
    #[cfg_attr(not(any(feature = "fft", feature = "linalg")), allow(dead_code))]
    Host(Arc<dyn HostCall>),
}

/// What is done with each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MapOp {
    Unary(Unary),
    Binary(Binary),
    Compare(Compare),
    /// The second where the first is true, else the third.
    Select,
    /// The real part of a complex number.
    Real,
    /// The imaginary part of a complex number.
    Imag,
    /// A complex number of its two parts.
    Complex,
    /// The nearest value of the node's dtype.
    Cast,
}

/// Notes that evaluation makes on a node; only read and written under the planner's lock.
#[derive(Default)]
pub(crate) struct Mark {
    epoch: AtomicU64,
    slot: AtomicU32,
    /// Whether it was computed before without being kept.
    passed: AtomicBool,
}

impl Mark {
    /// What was noted in this epoch.
    pub(crate) fn get(&self, epoch: u64) -> Option<u32> {
        (self.epoch.load(Ordering::Relaxed) == epoch).then(|| self.slot.load(Ordering::Relaxed))
    }

    pub(crate) fn set(&self, epoch: u64, slot: u32) {
        self.epoch.store(epoch, Ordering::Relaxed);
        self.slot.store(slot, Ordering::Relaxed);
    }

    pub(crate) fn passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    pub(crate) fn pass(&self) {
        self.passed.store(true, Ordering::Relaxed);
    }
}

impl Node {
    pub(crate) fn new(
        device: &Arc<dyn Device>,
        dtype: DType,
        shape: Shape,
        value: Option<Result<View>>,
        expr: Option<Expr>,
    ) -> Node {
        Node {
            device: Arc::clone(device),
            dtype,
            shape,
            value: value.map_or_else(OnceLock::new, OnceLock::from),
            expr: Mutex::new(expr),
            mark: Mark::default(),
        }
    }

    pub(crate) fn error(&self) -> Option<&Error> {
        self.value.get()?.as_ref().err()
    }

    pub(crate) fn expr(&self) -> MutexGuard<'_, Option<Expr>> {
        // An expression is replaced whole or not at all.
        self.expr.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops what a node was made of without a call per node: chains can be longer than the stack.
impl Drop for Node {
    fn drop(&mut self) {
        let mut left = Vec::new();
        release(self, &mut left);
        while let Some(array) = left.pop() {
            if let Some(mut node) = Arc::into_inner(array.node) {
                release(&mut node, &mut left);
            }
        }
    }
}

/// Takes the inputs out of `node`; those that may have inputs themselves are `left` to do.
fn release(node: &mut Node, left: &mut Vec<Array>) {
    let expr = node.expr.get_mut().unwrap_or_else(PoisonError::into_inner);
    if let Some(expr) = expr.take() {
        let lazy = |array: &Array| array.node.value.get().is_none();
        left.extend(expr.inputs.into_iter().filter(lazy));
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kind {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Fill(_) => "fill",
            Kind::Map(op) => op.name(),
            Kind::Reduce(reduction) => reduction.name(),
            Kind::Remap(_) => "view",
            Kind::Reshape => "reshape",
            Kind::Call(call) => call.name(),
            Kind::Host(call) => call.name(),
        }
    }
}

impl MapOp {
    pub(crate) fn name(self) -> &'static str {
        match self {
            MapOp::Unary(op) => op.name(),
            MapOp::Binary(op) => op.name(),
            MapOp::Compare(op) => op.name(),
            MapOp::Select => "where",
            MapOp::Real => "real",
            MapOp::Imag => "imag",
            MapOp::Complex => "complex",
            MapOp::Cast => "astype",
        }
    }
}
