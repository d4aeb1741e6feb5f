//! Divergent branches and loops: inactive lanes are masked out.

use super::{
    code::{Arg, Step},
    kernels::Lanes,
    lanes::Src,
    machine::{Machine, Outcome, Round, spread},
};
use crate::{literal::TRUE, program::endless};

impl Machine<'_> {
    pub(super) unsafe fn branch(&mut self, cond: Arg, then: &[Step], other: &[Step]) -> Outcome {
        // SAFETY: as for `run`, here and below.
        unsafe {
            match self.arg(cond) {
                Src::One(0) => return self.block(other),
                Src::One(_) => return self.block(then),
                Src::At(_) => {}
            }
            let n = self.lanes;
            let mut taken = vec![0; n].into_boxed_slice();
            spread(self.arg(cond).lanes(n), &mut taken);
            let before = self.mask.take();
            for (steps, flip) in [(then, 0), (other, TRUE)] {
                let mut mask: Box<[u32]> = taken.iter().map(|taken| taken ^ flip).collect();
                keep(&mut mask, before.as_deref());
                keep(&mut mask, self.rounds.last().map(|round| &*round.round));
                if mask.iter().any(|&mask| mask != 0) {
                    self.mask = Some(mask);
                    self.block(steps)?;
                }
            }
            self.mask = before;
            self.narrow();
        }
        Ok(())
    }

    pub(super) unsafe fn repeat(&mut self, body: &[Step], number: usize, weight: usize) -> Outcome {
        let before = self.mask.take();
        let all = match &before {
            Some(mask) => mask.clone(),
            None => vec![TRUE; self.lanes].into(),
        };
        self.rounds.push(Round { round: all.clone(), looping: all });
        while let Some(round) = self.rounds.last_mut()
            && round.looping.iter().any(|&mask| mask != 0)
        {
            round.round.copy_from_slice(&round.looping);
            let all = round.looping.iter().all(|&mask| mask != 0);
            self.mask = (!all).then(|| round.looping.clone());
            let counted = self.count_round(number).and_then(|()| self.spend(weight));
            // SAFETY: as for `run`.
            let outcome = counted.and_then(|()| unsafe { self.block(body) });
            if let Err(error) = outcome {
                self.rounds.clear();
                return Err(error);
            }
        }
        self.rounds.pop();
        self.mask = before;
        Ok(())
    }

    /// One more round of the loop that is instruction `number`.
    fn count_round(&mut self, number: usize) -> Outcome {
        let Some(left) = self.rounds_left.checked_sub(1) else {
            return Err(endless(&self.code.name, number));
        };
        self.rounds_left = left;
        self.failed.get().map_or(Ok(()), |why| Err(why.clone()))
    }

    /// Active lanes where `cond` is true leave the round, or the loop.
    pub(super) unsafe fn leave(&mut self, cond: Arg, the_loop: bool) {
        // SAFETY: as for `run`.
        let cond = unsafe { self.arg(cond).lanes::<u32>(self.lanes) };
        let mask = self.mask.as_deref();
        let Some(round) = self.rounds.last_mut() else {
            return;
        };
        for t in 0..self.lanes {
            let cond = match cond {
                Lanes::Many(cond) => cond[t],
                Lanes::One(cond) => cond,
            };
            let stays = !(cond & mask.map_or(TRUE, |mask| mask[t]));
            round.round[t] &= stays;
            if the_loop {
                round.looping[t] &= stays;
            }
        }
        self.narrow();
    }

    /// Takes lanes out of the mask that have left the round.
    fn narrow(&mut self) {
        let Some(round) = self.rounds.last() else {
            return;
        };
        match &mut self.mask {
            Some(mask) => keep(mask, Some(&round.round)),
            None if round.round.contains(&0) => {
                self.mask = Some(round.round.clone());
            }
            None => {}
        }
    }
}

fn keep(mask: &mut [u32], other: Option<&[u32]>) {
    for (mask, other) in mask.iter_mut().zip(other.unwrap_or(&[])) {
        *mask &= other;
    }
}
