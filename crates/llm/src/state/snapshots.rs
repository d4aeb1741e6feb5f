//! Snapshots of recurrent states, to rewind to.

use super::memory::{Memory, Slot};
use crate::Result;
use bessemer_core::{Batch, Device, View};
use bessemer_ops::Copy;
use std::sync::Arc;

/// Which snapshots a session keeps to rewind to, for models whose layers forget: recurrences
/// have only the latest state. Models of attention alone rewind anywhere and keep none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// A snapshot is taken whenever the text has grown by so many tokens, and after each prompt.
    pub every: usize,
    /// The most that are kept. When there are more, the older ones are thinned out: close together
    /// near the end of the text, far apart at its beginning. A session takes the memory for all of them
    /// when it is opened, if there is enough: it does not grow with the text.
    pub most: usize,
}

impl Default for SnapshotOptions {
    fn default() -> SnapshotOptions {
        SnapshotOptions { every: 512, most: 4 }
    }
}

/// The fixed slots of all layers as they were after `len` tokens. While it is kept nothing writes to it,
/// so forks share it.
#[derive(Debug)]
struct Snapshot {
    len: usize,
    views: Vec<View>,
}

/// The snapshots of a text, shortest first. The first is the empty text.
#[derive(Debug)]
pub(super) struct Snapshots {
    options: SnapshotOptions,
    kept: Vec<Arc<Snapshot>>,
    /// Memory for more.
    spare: Vec<Snapshot>,
    /// One more that is overwritten by the next of its kind: where to return to if speculation
    /// fails. `valid` says whether it is of this text.
    checkpoint: Option<Snapshot>,
    valid: bool,
}

impl Snapshots {
    pub(super) fn new(options: SnapshotOptions) -> Snapshots {
        let (kept, spare) = (Vec::new(), Vec::new());
        Snapshots { options, kept, spare, checkpoint: None, valid: false }
    }

    /// Takes memory for all snapshots there will be, or as many as there is room for. It is written
    /// to, since systems give memory only then.
    pub(super) fn reserve(&mut self, device: &dyn Device, layers: &[Memory]) -> Result<()> {
        for _ in 0..self.options.most {
            let Ok(spare) = Snapshot::alloc(device, layers, 0) else { break };
            spare.save(device, layers)?;
            self.spare.push(spare);
        }
        Ok(())
    }

    /// The same snapshots for a fork.
    pub(super) fn share(&self) -> Snapshots {
        Snapshots { kept: self.kept.clone(), ..Snapshots::new(self.options) }
    }

    /// The lengths of text there are snapshots of, shortest first.
    pub(super) fn lens(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().map(|snapshot| snapshot.len)
    }

    fn has(&self, len: usize) -> bool {
        self.lens().any(|kept| kept == len)
    }

    /// Whether it is time for another, after `len` tokens of text.
    pub(super) fn is_due(&self, len: usize) -> bool {
        let last = self.lens().last().unwrap_or(0);
        self.options.most > 0 && len >= last + self.options.every.max(1)
    }

    /// Forgets all snapshots and takes that of the empty text.
    pub(super) fn restart(&mut self, device: &dyn Device, layers: &[Memory]) -> Result<()> {
        self.valid = false;
        for snapshot in std::mem::take(&mut self.kept) {
            self.free(snapshot);
        }
        self.take(device, layers, 0)
    }

    /// Takes a snapshot after `len` tokens.
    pub(super) fn take(
        &mut self,
        device: &dyn Device,
        layers: &[Memory],
        len: usize,
    ) -> Result<()> {
        if self.has(len) || !self.thin_out(len) {
            return Ok(());
        }
        let room = match self.spare.pop() {
            Some(spare) => spare,
            None => Snapshot::alloc(device, layers, len)?,
        };
        room.save(device, layers)?;
        let at = self.kept.partition_point(|kept| kept.len < len);
        self.kept.insert(at, Arc::new(Snapshot { len, ..room }));
        Ok(())
    }

    /// The same, or none if the device is out of memory.
    pub(super) fn take_if_room(
        &mut self,
        device: &dyn Device,
        layers: &[Memory],
        len: usize,
    ) -> Result<()> {
        if self.spare.is_empty() && !self.has(len) {
            match Snapshot::alloc(device, layers, len) {
                Ok(spare) => self.spare.push(spare),
                Err(_) => return Ok(()),
            }
        }
        self.take(device, layers, len)
    }

    /// Drops those that are missed least, so that there are not too many with one of `len` tokens;
    /// `false` if it is that one which would be missed least.
    fn thin_out(&mut self, len: usize) -> bool {
        loop {
            let mut lens: Vec<usize> = self.lens().collect();
            let at = lens.partition_point(|&kept| kept < len);
            lens.insert(at, len);
            // The empty text does not count.
            if lens.len() <= self.options.most.max(1) + 1 {
                return true;
            }
            let thinned = thinnest(&lens);
            if thinned == at {
                return false;
            }
            let snapshot = self.kept.remove(thinned - usize::from(thinned > at));
            self.free(snapshot);
        }
    }

    /// Keeps the memory of a snapshot, unless a fork still has it.
    fn free(&mut self, snapshot: Arc<Snapshot>) {
        self.spare.extend(Arc::try_unwrap(snapshot));
    }

    /// Takes the snapshot that the next call overwrites.
    pub(super) fn checkpoint(
        &mut self,
        device: &dyn Device,
        layers: &[Memory],
        len: usize,
    ) -> Result<()> {
        self.valid = false;
        let checkpoint = match &mut self.checkpoint {
            Some(checkpoint) => checkpoint,
            none => none.insert(Snapshot::alloc(device, layers, len)?),
        };
        checkpoint.len = len;
        checkpoint.save(device, layers)?;
        self.valid = true;
        Ok(())
    }

    /// The longest text of at most `len` tokens that there is a snapshot of.
    pub(super) fn nearest(&self, len: usize) -> usize {
        self.find(len).map_or(0, |snapshot| snapshot.len)
    }

    /// Gives layers back what they remembered after [`Snapshots::nearest`] tokens, which it returns.
    pub(super) fn restore(
        &self,
        device: &dyn Device,
        layers: &[Memory],
        len: usize,
    ) -> Result<usize> {
        let snapshot = self.find(len).expect("there is always one of the empty text");
        snapshot.copy(device, layers, |kept, live| (kept.clone(), live.clone()))?;
        Ok(snapshot.len)
    }

    /// Drops the snapshots of longer texts.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.kept.last().is_some_and(|last| last.len > len)
            && let Some(last) = self.kept.pop()
        {
            self.free(last);
        }
        self.valid &= self.checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.len <= len);
    }

    fn find(&self, len: usize) -> Option<&Snapshot> {
        let checkpoint = self.checkpoint.iter().filter(|_| self.valid);
        let all = self.kept.iter().map(|kept| &**kept).chain(checkpoint);
        all.filter(|snapshot| snapshot.len <= len).max_by_key(|snapshot| snapshot.len)
    }
}

impl Snapshot {
    fn alloc(device: &dyn Device, layers: &[Memory], len: usize) -> Result<Snapshot> {
        // Fixed slots take the same room whatever the number of tokens.
        let view = |(slot, _): &(Slot, View)| slot.alloc(device, 0);
        let views = layers.iter().flat_map(Memory::fixed).map(view).collect::<Result<_>>()?;
        Ok(Snapshot { len, views })
    }

    fn save(&self, device: &dyn Device, layers: &[Memory]) -> Result<()> {
        self.copy(device, layers, |kept, live| (live.clone(), kept.clone()))
    }

    fn copy(
        &self,
        device: &dyn Device,
        layers: &[Memory],
        direction: impl Fn(&View, &View) -> (View, View),
    ) -> Result<()> {
        let mut batch = Batch::new();
        for (kept, (_, live)) in self.views.iter().zip(layers.iter().flat_map(Memory::fixed)) {
            let (x, out) = direction(kept, live);
            batch.push(Copy { x, out })?;
        }
        Ok(device.wait(device.submit(&batch)?)?)
    }
}

/// Which of `lens`, neither the first nor the last, is missed least: its neighbours are close
/// together for how far back it is.
fn thinnest(lens: &[usize]) -> usize {
    let end = lens.last().copied().unwrap_or(0);
    let missed = |&i: &usize| (lens[i + 1] - lens[i - 1]) as f64 / (end - lens[i]) as f64;
    (1..lens.len() - 1).min_by(|a, b| missed(a).total_cmp(&missed(b))).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_snapshots_are_thinned_out() {
        let mut lens = vec![0];
        for next in (1..=200).map(|i| i * 10) {
            lens.push(next);
            if lens.len() > 9 {
                let thinned = thinnest(&lens);
                assert!(thinned > 0 && thinned < lens.len() - 1);
                lens.remove(thinned);
            }
            let gaps: Vec<usize> = lens.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(gaps.iter().all(|&gap| gap > 0));
            // Rewinding by n tokens costs no more than a few times n.
            for back in (10..next).step_by(10) {
                let from = lens.iter().rev().find(|&&len| len <= next - back).unwrap();
                assert!(next - back - from <= 3 * back, "{back} back of {next}: {lens:?}");
            }
        }
    }
}
