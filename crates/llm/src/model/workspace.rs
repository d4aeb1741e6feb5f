//! The workspace of a forward pass: allocated once per session.

use super::config::{Config, ExpertConfig};
use crate::Result;
use bessemer_core::{DType, Device, Shape, View, estimate};

/// The most tokens whose logits a pass gives all of.
pub(crate) const EACH: usize = 8;

/// Where a pass keeps its tokens and all that comes of them, for up to `rows` at a time.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Which tokens, `U32 [rows]`.
    pub(crate) tokens: View,
    /// Where in the text they are, `U32 [rows]`.
    pub(crate) positions: View,
    /// The state of each token, to which layers add.
    pub(super) state: View,
    /// After a pass that was asked for it, the normed last state of each token.
    pub(crate) normed: View,
    /// What mixers work in, by name.
    scratch: Vec<(&'static str, View)>,
    /// What a part of a layer adds to the state.
    pub(super) added: View,
    /// Gate and up of a feed-forward part, side by side.
    pub(super) gate_up: View,
    /// What of up the gate lets through.
    pub(super) gated: View,
    pub(super) experts: Option<ExpertSpace>,
    /// `F32 [up to EACH, vocabulary]`: what may come after the last token, or after each.
    pub(crate) logits: View,
    /// Whether each row must be computed as if it were alone: sums in the same order.
    pub(super) alone: bool,
    /// Whose the rows are, and where their keys and values go, if they are of several texts.
    pub(crate) pages: Option<PageSpace>,
}

/// What rows of several texts, in pages of one cache, need besides. All is read when a pass runs.
#[derive(Clone, Debug)]
pub(crate) struct PageSpace {
    /// Where keys and values go, `U32 [rows]`.
    pub(crate) slots: View,
    /// Whose the rows are, `U32 [rows]`.
    pub(crate) texts: View,
    /// The pages of each text, `U32 [texts, most]`.
    pub(crate) table: View,
    /// Tokens of a page.
    pub(crate) len: usize,
}

/// Memory that a mixer works in, `F32 [rows, width]` or several of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scratch {
    /// Layers that name the same share it; it is as large as any of them asks for.
    pub(crate) name: &'static str,
    pub(crate) parts: usize,
    pub(crate) width: usize,
}

impl Scratch {
    /// `[rows, width]`.
    pub(crate) fn new(name: &'static str, width: usize) -> Scratch {
        Scratch::parts(name, 1, width)
    }

    /// `[parts, rows, width]`.
    pub(crate) fn parts(name: &'static str, parts: usize, width: usize) -> Scratch {
        Scratch { name, parts, width }
    }

    /// Takes on the sizes of another of the same name where they are larger.
    pub(super) fn grow(&mut self, other: &Scratch) {
        self.parts = self.parts.max(other.parts);
        self.width = self.width.max(other.width);
    }
}

/// What mixtures of experts need besides.
#[derive(Debug)]
pub(super) struct ExpertSpace {
    /// What the router says of each expert.
    pub(super) scores: View,
    /// How much each of those chosen counts, `[rows, used]`.
    pub(super) shares: View,
    /// Which are chosen, `U32 [rows, used]`.
    pub(super) chosen: View,
    /// `[rows, used, feed_forward]`.
    pub(super) gate: View,
    pub(super) up: View,
    /// What each of them says, `[rows, used, hidden]`.
    pub(super) each: View,
    /// How much the shared part counts, `[rows, 1]`.
    pub(super) shared_gate: View,
    /// What the shared part says.
    pub(super) shared: View,
}

impl Workspace {
    pub(crate) fn new(device: &dyn Device, config: &Config, rows: usize) -> Result<Workspace> {
        Workspace::with_logits(device, config, rows, rows.min(EACH))
    }

    /// The same with room for the logits after so many tokens.
    pub(crate) fn with_logits(
        device: &dyn Device,
        config: &Config,
        rows: usize,
        logits: usize,
    ) -> Result<Workspace> {
        let make = |dtype: DType, dims: &[usize]| make(device, dtype, dims);
        let floats = |width: usize| make(DType::F32, &[rows, width]);
        let scratch = config.scratch().into_iter();
        Ok(Workspace {
            tokens: make(DType::U32, &[rows])?,
            positions: make(DType::U32, &[rows])?,
            state: floats(config.hidden)?,
            normed: floats(config.hidden)?,
            scratch: scratch
                .map(|Scratch { name, parts, width }| {
                    Ok((name, make(DType::F32, &[parts, rows, width])?))
                })
                .collect::<Result<_>>()?,
            added: floats(config.hidden)?,
            gate_up: floats(2 * config.widest_feed_forward())?,
            gated: floats(config.widest_feed_forward())?,
            experts: match config.experts {
                Some(experts) => Some(ExpertSpace::new(&make, experts, rows, config.hidden)?),
                None => None,
            },
            logits: make(DType::F32, &[logits, config.vocabulary])?,
            alone: false,
            pages: None,
        })
    }

    /// With room for `texts` in a cache, of up to `most` pages of `len` tokens each.
    pub(crate) fn paged(
        self,
        device: &dyn Device,
        [texts, most]: [usize; 2],
        len: usize,
    ) -> Result<Workspace> {
        let rows = self.rows();
        let numbers = |dims: &[usize]| make(device, DType::U32, dims);
        let (slots, whose, table) =
            (numbers(&[rows])?, numbers(&[rows])?, numbers(&[texts, most])?);
        let pages = Some(PageSpace { slots, texts: whose, table, len });
        Ok(Workspace { pages, ..self })
    }

    /// The rows it has room for.
    pub(crate) fn rows(&self) -> usize {
        self.tokens.elements()
    }

    /// What a mixer has asked for under this name, `[rows, width]`.
    pub(super) fn scratch(&self, name: &str) -> Result<View> {
        self.part(name, 0)
    }

    /// Part `n` of what a mixer has asked for under this name, `[rows, width]`.
    pub(super) fn part(&self, name: &str, n: usize) -> Result<View> {
        Ok(self.parts(name).narrow(0, n..n + 1)?.squeeze(0)?)
    }

    /// All that a mixer has asked for under this name, `[parts, rows, width]`.
    pub(super) fn parts(&self, name: &str) -> &View {
        let found = self.scratch.iter().find(|(other, _)| *other == name);
        &found.expect("mixers use what they have asked for").1
    }

    /// The same memory for one row, whose token is read from elsewhere.
    pub(crate) fn reading(&self, token: View) -> Result<Workspace> {
        Ok(Workspace { tokens: token, ..self.first(1, false)? })
    }

    /// The same memory, of which only the first rows are used.
    pub(super) fn first(&self, rows: usize, alone: bool) -> Result<Workspace> {
        let part = |view: &View| view.narrow(0, 0..rows);
        Ok(Workspace {
            tokens: part(&self.tokens)?,
            positions: part(&self.positions)?,
            state: part(&self.state)?,
            normed: part(&self.normed)?,
            scratch: self
                .scratch
                .iter()
                .map(|(name, view)| Ok((*name, view.narrow(1, 0..rows)?)))
                .collect::<Result<_>>()?,
            added: part(&self.added)?,
            gate_up: part(&self.gate_up)?,
            gated: part(&self.gated)?,
            experts: match &self.experts {
                Some(experts) => Some(experts.first(rows)?),
                None => None,
            },
            logits: self.logits.clone(),
            alone,
            pages: match &self.pages {
                Some(PageSpace { slots, texts, table, len }) => Some(PageSpace {
                    slots: part(slots)?,
                    texts: part(texts)?,
                    table: table.clone(),
                    len: *len,
                }),
                None => None,
            },
        })
    }
}

/// Memory for a tensor.
fn make(device: &dyn Device, dtype: DType, dims: &[usize]) -> Result<View> {
    let shape = Shape::new(dims)?;
    let bytes = estimate::tensor(dtype, shape.rows(), shape.width())?;
    Ok(View::new(&device.alloc(bytes)?, dtype, shape)?)
}

impl ExpertSpace {
    fn new(
        make: &dyn Fn(DType, &[usize]) -> Result<View>,
        config: ExpertConfig,
        rows: usize,
        hidden: usize,
    ) -> Result<ExpertSpace> {
        let ExpertConfig { count, used, feed_forward, .. } = config;
        Ok(ExpertSpace {
            scores: make(DType::F32, &[rows, count])?,
            shares: make(DType::F32, &[rows, used])?,
            chosen: make(DType::U32, &[rows, used])?,
            gate: make(DType::F32, &[rows, used, feed_forward])?,
            up: make(DType::F32, &[rows, used, feed_forward])?,
            each: make(DType::F32, &[rows, used, hidden])?,
            shared_gate: make(DType::F32, &[rows, 1])?,
            shared: make(DType::F32, &[rows, hidden])?,
        })
    }

    fn first(&self, rows: usize) -> Result<ExpertSpace> {
        let part = |view: &View| view.narrow(0, 0..rows);
        Ok(ExpertSpace {
            scores: part(&self.scores)?,
            shares: part(&self.shares)?,
            chosen: part(&self.chosen)?,
            gate: part(&self.gate)?,
            up: part(&self.up)?,
            each: part(&self.each)?,
            shared_gate: part(&self.shared_gate)?,
            shared: part(&self.shared)?,
        })
    }
}
