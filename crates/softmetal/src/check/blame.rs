//! What the checks found, put into reports: who, where, and what it was likely meant to be.

use super::local::{Access, Local};
use super::shadow::Mark;
use super::{Kind, Report, Side, private};
use crate::exec::Symbols;
use crate::exec::abi::ThreadState;
use std::ops::Range;

/// An access so many bytes from something was meant for it.
const NEAR: usize = 4096;

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
                offset: self.offset(binding, offset),
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
            offset: self.offset(binding, offset),
            size: a.size,
            side: self.side(a, symbols),
            other: None,
            detail: "nothing has been written there".into(),
        });
    }

    /// An offset in a shadow as the user counts it: from where a binding starts, and without the
    /// room between arrays.
    fn offset(&self, binding: Option<usize>, offset: usize) -> i64 {
        match binding {
            Some(b) => offset as i64 - self.run.bindings[b].shadow_offset as i64,
            None => {
                let span = self.spans.iter().rfind(|s| s.at.start <= offset);
                span.map_or(offset, |s| offset - s.at.start + s.plain) as i64
            }
        }
    }

    pub(super) fn out_of_bounds(&self, a: &Access) {
        self.run.report(Kind::OutOfBounds, a.pc, 0, |symbols| {
            let (binding, offset, detail) = self.meant(a, symbols);
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

    /// What an access that hits nothing was most likely meant for: its name, the offset there, and
    /// how large it is.
    fn meant(&self, a: &Access, symbols: &Symbols) -> (String, i64, String) {
        if a.address < 4096 {
            let detail = "nothing is bound there".to_string();
            return ("a null pointer".to_string(), a.address as i64, detail);
        }
        let offset_in = |r: &Range<usize>| a.address.wrapping_sub(r.start) as i64;
        if let Some((name, range)) = self.run.launched.module.overrun(a.address, a.size) {
            let detail = format!("it has {} bytes", range.len());
            return (format!("constant '{name}'"), offset_in(&range), detail);
        }
        let far = |r: &Range<usize>| {
            let below = r.start.saturating_sub(a.address);
            below.max((a.address + a.size).saturating_sub(r.end))
        };
        let spans = self.spans.iter().map(|s| {
            let range = self.shared.start + s.at.start..self.shared.start + s.at.end;
            (far(&range), "threadgroup memory".to_string(), range)
        });
        let bound = |b: usize| {
            let b = &self.run.bindings[b];
            (far(&b.range), b.name.clone(), b.range.clone())
        };
        // The nearest; from far away, what the same line has accessed before.
        let nearest =
            (0..self.run.bindings.len()).map(bound).chain(spans).min_by_key(|(far, _, _)| *far);
        let meant = match nearest {
            Some((far, _, _)) if far > NEAR => self.home(a, symbols).map(bound).or(nearest),
            other => other,
        };
        match meant {
            Some((_, name, r)) if name == "threadgroup memory" => {
                (name, offset_in(&r), format!("the array there has {} bytes", r.len()))
            }
            Some((_, name, r)) => (name, offset_in(&r), format!("it has {} bytes", r.len())),
            None => (String::new(), 0, format!("address {:#x}", a.address)),
        }
    }

    /// The thread's own memory: an access beside its arrays.
    pub(crate) fn stray(&self, address: usize, size: usize, kind: u32, pc: usize, s: &ThreadState) {
        self.run.report(Kind::OutOfBounds, pc, 0, |symbols| {
            let (name, offset, bytes) = private::variable(address, s, &self.run.launched.module);
            let place = symbols.place(pc);
            Report {
                kind: Kind::OutOfBounds,
                kernel: self.run.launched.kernel.clone(),
                binding: name,
                offset,
                size,
                side: Side {
                    file: place.file,
                    line: place.line,
                    group: s.position,
                    thread: s.place(),
                    action: super::local::action(kind & 1 == 1, false).into(),
                },
                other: None,
                detail: bytes.map_or(String::new(), |n| format!("it has {n} bytes")),
            }
        });
    }

    /// Clang's checks of array indices and of conversions to integers.
    pub(crate) fn undefined(&self, kind: Kind, what: String, pc: usize, s: &ThreadState) {
        self.run.report(kind, pc, 0, |symbols| {
            let place = symbols.place(pc);
            Report {
                kind,
                kernel: self.run.launched.kernel.clone(),
                binding: String::new(),
                offset: 0,
                size: 0,
                side: Side {
                    file: place.file,
                    line: place.line,
                    group: s.position,
                    thread: s.place(),
                    action: if kind == Kind::Conversion { "conversion" } else { "access" }.into(),
                },
                other: None,
                detail: what,
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
