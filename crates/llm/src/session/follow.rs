//! Greedy decoding on the device: it finds the most likely tokens, and the next pass reads the most likely
//! one. So that pass can start before the CPU has read its token: no data goes from the CPU to the device
//! between two tokens.

use super::Session;
use crate::{
    Result,
    model::{Ask, Workspace, likeliest},
};
use bessemer_core::{Batch, Buffer, DType, Device, Element, Shape, View};

/// The most tokens a device is asked for: as many as its kernels sort at once.
const MOST: usize = 1024;

/// Two passes in turn, each of which reads the token that the other has chosen.
pub(super) struct Follow {
    /// How many tokens there are to choose from, and how many are chosen, likeliest first.
    known: usize,
    count: usize,
    passes: [Pass; 2],
    /// Which of them is next.
    turn: usize,
    /// The token and the position of a pass that was started and not yet asked for.
    started: Option<(u32, usize)>,
    values: Vec<f32>,
    tokens: Vec<u32>,
}

struct Pass {
    batch: Batch,
    /// The logits of the likeliest tokens, `[1, count]`, and the tokens.
    values: View,
    tokens: View,
}

/// The likeliest tokens to follow, likeliest first, and their logits.
pub(crate) struct Likeliest<'a> {
    pub(crate) tokens: &'a [u32],
    pub(crate) logits: &'a [f32],
}

/// Whether a device runs what is submitted while the CPU goes on.
pub(super) fn has_queue(device: &dyn Device) -> bool {
    device.info().capabilities.asynchronous
}

/// What a device does after a pass to choose the likeliest token: to be prepared, not to be run.
pub(super) fn choice(device: &dyn Device, work: &Workspace) -> Result<Batch> {
    let mut batch = Batch::new();
    let (values, tokens) = (chosen(device, DType::F32, 1)?, chosen(device, DType::U32, 1)?);
    let position = work.positions.narrow(0, 0..1)?;
    likeliest(&mut batch, &work.logits.narrow(0, 0..1)?, &values, &tokens, &position)?;
    Ok(batch)
}

/// Room for something about each of `count` tokens.
fn chosen(device: &dyn Device, dtype: DType, count: usize) -> Result<View> {
    let buffer: Buffer = device.alloc(count * size_of::<u32>())?;
    Ok(View::new(&buffer, dtype, Shape::new(&[1, count])?)?)
}

impl Session {
    /// Whether [`Session::follow`] is the better way to the `count` likeliest tokens.
    pub(crate) fn follows(&self, count: usize) -> bool {
        has_queue(&**self.model.device()) && count <= MOST
    }

    /// Takes `token` through the model; the device chooses the `count` likeliest of the first
    /// `known` tokens to follow. With `ahead`, the pass of the likeliest of them is started too,
    /// for the case that it is what comes next.
    pub(crate) fn follow(
        &mut self,
        token: u32,
        known: usize,
        count: usize,
        ahead: bool,
    ) -> Result<Likeliest<'_>> {
        self.check(&[token])?;
        let kept = self.follow.take();
        let mut follow = match kept.filter(|kept| (kept.known, kept.count) == (known, count)) {
            Some(follow) => follow,
            None => Box::new(Follow::new(self, known, count)?),
        };
        // Until all has worked, the session forgets what was started.
        self.settle()?;
        self.follow_with(&mut follow, token, ahead)?;
        let Follow { tokens, values: logits, .. } = &**self.follow.insert(follow);
        Ok(Likeliest { tokens, logits })
    }

    fn follow_with(&mut self, follow: &mut Follow, token: u32, ahead: bool) -> Result<()> {
        let device = &**self.model.device();
        let position = self.state.len();
        if follow.started.take() != Some((token, position)) {
            let input = &follow.passes[1 - follow.turn].tokens;
            device.write(&input.narrow(1, 0..1)?.slice()?, u32::as_bytes(&[token]))?;
            self.write(&self.work.positions, &[position as u32])?;
            self.state.begin();
            follow.start(device)?;
        }
        let asked = 1 - follow.turn;
        let room = position + 1 < self.capacity();
        // A recurrence could not take back a pass that nobody wants.
        let ahead = ahead && room && self.state.rewinds_anywhere();
        if ahead {
            follow.start(device)?;
        } else if room {
            // The next token is for the CPU to draw. What is done with it is known already.
            device.encode_ahead(&follow.passes[follow.turn].batch);
        }
        let Follow { passes, values, tokens, .. } = follow;
        device.read(&passes[asked].values.slice()?, f32::as_bytes_mut(values))?;
        device.read(&passes[asked].tokens.slice()?, u32::as_bytes_mut(tokens))?;
        self.model.check_files()?;
        // NaN counts as larger than all numbers.
        self.refuse_nan(&values[..1], "logits")?;
        self.state.push(&[token]);
        self.state.finish(position + 1)?;
        follow.started = ahead.then_some((tokens[0], position + 1));
        Ok(())
    }
}

impl Follow {
    fn new(session: &Session, known: usize, count: usize) -> Result<Follow> {
        let Session { model, work, state, .. } = session;
        let device = &**model.device();
        let both = || -> Result<(View, View)> {
            Ok((chosen(device, DType::F32, count)?, chosen(device, DType::U32, count)?))
        };
        let (first, second) = (both()?, both()?);
        let pass = |from: &View, to: &(View, View)| -> Result<Pass> {
            let input = from.narrow(1, 0..1)?.reshape(Shape::new(&[1])?)?;
            let input = input.expect("a view of one number has any shape");
            let mut batch = model.pass(&work.reading(input)?, state.layers(), 1, Ask::Last)?;
            let logits = work.logits.narrow(0, 0..1)?.narrow(1, 0..known)?;
            likeliest(&mut batch, &logits, &to.0, &to.1, &work.positions.narrow(0, 0..1)?)?;
            Ok(Pass { batch, values: to.0.clone(), tokens: to.1.clone() })
        };
        Ok(Follow {
            known,
            count,
            passes: [pass(&second.1, &first)?, pass(&first.1, &second)?],
            turn: 0,
            started: None,
            values: vec![0.0; count],
            tokens: vec![0; count],
        })
    }

    fn start(&mut self, device: &dyn Device) -> Result<()> {
        // Whoever reads what it chose hears how it went.
        let _ticket = device.submit(&self.passes[self.turn].batch)?;
        self.turn = 1 - self.turn;
        Ok(())
    }

    /// Nothing that was started is of use any more.
    pub(super) fn forget(&mut self) {
        self.started = None;
    }
}
