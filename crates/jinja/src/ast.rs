//! The tree that the parser makes. Chains are flat lists, so the tree is no deeper than the parser's
//! limit, however long a chain is.

use std::sync::Arc;

/// A variable, as an index into the template's names.
pub(crate) type Symbol = u32;

pub(crate) type Body = Vec<Stmt>;

pub(crate) struct Stmt {
    pub(crate) line: u32,
    pub(crate) kind: StmtKind,
}

pub(crate) enum StmtKind {
    Text(Box<str>),
    Print(Expr),
    If {
        arms: Vec<(Expr, Body)>,
        otherwise: Body,
    },
    For(Arc<For>),
    Set {
        target: Target,
        value: Expr,
    },
    SetBlock {
        target: Target,
        filters: Vec<Op>,
        body: Body,
    },
    With {
        values: Vec<(Target, Expr)>,
        body: Body,
    },
    Macro(Arc<MacroDef>),
    Call {
        call: Expr,
        caller: Arc<MacroDef>,
    },
    Filter {
        filters: Vec<Op>,
        body: Body,
    },
    /// `generation`: what training marks as written by the model.
    Scope(Body),
    Break,
    Continue,
}

pub(crate) struct For {
    pub(crate) target: Target,
    pub(crate) iterable: Expr,
    pub(crate) filter: Option<Expr>,
    pub(crate) recursive: bool,
    pub(crate) body: Body,
    pub(crate) otherwise: Body,
}

pub(crate) struct MacroDef {
    pub(crate) name: Arc<str>,
    pub(crate) symbol: Symbol,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Body,
    /// Which of the special variables the body mentions.
    pub(crate) uses: Uses,
}

pub(crate) struct Parameter {
    pub(crate) name: Arc<str>,
    pub(crate) symbol: Symbol,
    pub(crate) default: Option<Expr>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Uses {
    pub(crate) caller: bool,
    pub(crate) varargs: bool,
    pub(crate) kwargs: bool,
}

pub(crate) enum Target {
    Name(Symbol),
    /// An attribute of a namespace.
    Attribute(Symbol, Arc<str>),
    Tuple(Vec<Target>),
}

pub(crate) enum Expr {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Box<str>),
    Name(Symbol),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    /// `a + b - c`: operators of one level, from the left.
    Chain(Box<Expr>, Vec<(Binary, Expr)>),
    /// `a ~ b ~ c`.
    Concat(Vec<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// `not`, an odd number of times, or an even one.
    Not {
        odd: bool,
        operand: Box<Expr>,
    },
    /// Signs, the innermost last.
    Signs(Vec<Sign>, Box<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// `value if test else value if test else otherwise`.
    Conditional {
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Postfix(Box<Expr>, Vec<Op>),
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
}

/// What follows an operand.
pub(crate) struct Op {
    pub(crate) line: u32,
    pub(crate) kind: OpKind,
}

pub(crate) enum OpKind {
    Attribute(Arc<str>),
    Item(Expr),
    Slice(Box<[Option<Expr>; 3]>),
    Call(Args),
    Filter(Box<str>, Args),
    Test { name: Box<str>, args: Args, negated: bool },
}

/// The arguments of a call.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) positional: Vec<Expr>,
    pub(crate) named: Vec<(Arc<str>, Expr)>,
    /// `*list`.
    pub(crate) list: Option<Box<Expr>>,
    /// `**dict`.
    pub(crate) dict: Option<Box<Expr>>,
}
