//! What the checks found, put into reports: who, where, and what it was likely meant to be.

use super::local::{Access, Local};
use super::shadow::Mark;
use super::{Kind, Report, Side};
use crate::exec::Symbols;
use crate::exec::abi::ThreadState;
use std::ops::Range;

impl Local {
    fn side(&self, a: &Access, symbols: &Symbols) -> Side {
        self.run.launched.side(a.thread, self.short(a.pc), symbols, a.action())
    }

    fn binding_name(&self, binding: Option<usize>) -> String {
        binding.map_or("threadgroup memory".into(), |b| self.run.bindings[b].name.clone())
    }

    pub(super) fn race(
        &self,
        a: &Access,
        kind: Kind,
        (other, other_pc): (Mark, u32),
        what: &str,
        binding: Option<usize>,
        offset: usize,
    ) {
        self.run.report(kind, a.pc, other_pc as usize, |symbols| {
            let earlier = self.run.earlier.iter().find(|e| e.epoch == other.epoch);
            let (other, detail) = match earlier.filter(|_| kind == Kind::MissingBarrier) {
                Some(e) => (
                    e.side(other.thread, other_pc, &Symbols::new(&e.module), what),
                    format!("kernel '{}' was dispatched before by the same encoder", e.kernel),
                ),
                None => {
                    let here = &self.run.launched;
                    (here.side(other.thread, other_pc, symbols, what), String::new())
                }
            };
            Report {
                kind,
                kernel: self.run.launched.kernel.clone(),
                binding: self.binding_name(binding),
                offset: offset as i64
                    - binding.map_or(0, |b| self.run.bindings[b].shadow_offset) as i64,
                size: a.size,
                side: self.side(a, symbols),
                other: Some(other),
                detail,
            }
        });
    }

    pub(super) fn uninitialized(&self, a: &Access, binding: Option<usize>, offset: usize) {
        self.run.report(Kind::Uninitialized, a.pc, 0, |symbols| Report {
            kind: Kind::Uninitialized,
            kernel: self.run.launched.kernel.clone(),
            binding: self.binding_name(binding),
            offset: offset as i64,
            size: a.size,
            side: self.side(a, symbols),
            other: None,
            detail: "nothing has been written there".into(),
        });
    }

    pub(super) fn out_of_bounds(&self, a: &Access) {
        self.run.report(Kind::OutOfBounds, a.pc, 0, |symbols| {
            // The binding it most likely meant: the nearest.
            let far = |r: &Range<usize>| {
                if a.address < r.start {
                    r.start - a.address
                } else {
                    (a.address + a.size).saturating_sub(r.end)
                }
            };
            let shared = (!self.shared.is_empty()).then(|| {
                (far(&self.shared), "threadgroup memory".to_string(), self.shared.clone())
            });
            let nearest = self
                .run
                .bindings
                .iter()
                .map(|b| (far(&b.range), b.name.clone(), b.range.clone()))
                .chain(shared)
                .min_by_key(|(d, _, _)| *d);
            let (binding, offset, detail) = match nearest {
                _ if a.address < 4096 => (
                    "a null pointer".to_string(),
                    a.address as i64,
                    "nothing is bound there".to_string(),
                ),
                Some((_, name, r)) => (
                    name,
                    a.address.wrapping_sub(r.start) as i64,
                    format!("it has {} bytes", r.len()),
                ),
                None => (String::new(), 0, format!("address {:#x}", a.address)),
            };
            Report {
                kind: Kind::OutOfBounds,
                kernel: self.run.launched.kernel.clone(),
                binding,
                offset,
                size: a.size,
                side: self.side(a, symbols),
                other: None,
                detail,
            }
        });
    }

    /// Clang's alignment check has found a pointer that is not.
    pub(crate) fn misaligned(
        &mut self,
        address: usize,
        align: u32,
        line: u32,
        file: String,
        state: &ThreadState,
    ) {
        let found = self.run.bindings.iter().find(|b| b.range.contains(&address));
        let (binding, offset) = match found {
            Some(b) => (b.name.clone(), address - b.range.start),
            None if self.shared.contains(&address) => {
                ("threadgroup memory".into(), address - self.shared.start)
            }
            None => return,
        };
        self.run.report(Kind::Misaligned, line as usize, 0, |_| Report {
            kind: Kind::Misaligned,
            kernel: self.run.launched.kernel.clone(),
            binding,
            offset: offset as i64,
            size: align as usize,
            side: Side {
                file,
                line,
                group: state.position,
                thread: state.place(),
                action: "access".into(),
            },
            other: None,
            detail: format!("the type needs an alignment of {align} bytes"),
        });
    }
}
