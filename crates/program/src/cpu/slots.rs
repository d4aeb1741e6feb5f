//! Register allocation: registers that are never live together share a slot of the register file.
//! Those of 64 bits have two slots, and share them with each other only.

use crate::{Inst, Operand, Place, Reg, program::Source};

/// Where registers lie and how long they live, in instruction numbers.
pub(super) struct Slots {
    slots: Vec<u16>,
    lives: Vec<Life>,
    /// Numbers of the stores to views.
    stores: Vec<usize>,
    count: usize,
}

/// From its first assignment to its last use.
#[derive(Clone, Default)]
struct Life {
    first: usize,
    last: usize,
    /// First and last instruction of each loop around its first assignment, innermost last.
    loops: Vec<(usize, usize)>,
    accesses: u32,
}

impl Life {
    /// From when on it needs its slot: threads that have left a loop keep its value while the
    /// others go round again.
    fn begin(&self) -> usize {
        let left = self.loops.iter().find(|&&(_, end)| self.last > end);
        left.map_or(self.first, |&(start, _)| start)
    }
}

impl Slots {
    pub(super) fn new(source: &Source) -> Slots {
        let mut scan =
            Scan { lives: vec![None; source.registers.len()], stores: Vec::new(), number: 0 };
        scan.block(&source.body, &mut Vec::new());
        let lives: Vec<Life> = scan.lives.into_iter().map(Option::unwrap_or_default).collect();
        let mut order: Vec<usize> = (0..lives.len()).collect();
        order.sort_by_key(|&reg| lives[reg].begin());
        let mut slots = vec![0; lives.len()];
        let mut count = 0;
        for wide in [false, true] {
            // A slot is free when its last register is used for the last time strictly before:
            // an instruction never writes over what it reads.
            let mut ends: Vec<(usize, u16)> = Vec::new();
            for &reg in order.iter().filter(|&&reg| source.registers[reg].is_wide() == wide) {
                let (first, last) = (lives[reg].begin(), lives[reg].last);
                // The one freed last is the likeliest to be in the nearest cache.
                let free = ends.iter().enumerate().filter(|(_, (end, _))| *end < first);
                let slot = match free.max_by_key(|(_, (end, _))| *end).map(|(i, _)| i) {
                    Some(i) => ends.swap_remove(i).1,
                    None => {
                        count += if wide { 2 } else { 1 };
                        count - if wide { 2 } else { 1 }
                    }
                };
                slots[reg] = slot;
                ends.push((last, slot));
            }
        }
        Slots { slots, lives, stores: scan.stores, count: count.into() }
    }

    /// How many slots there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn slot(&self, reg: Reg) -> u16 {
        self.slots[reg.index()]
    }

    /// How often a register is assigned and read.
    pub(super) fn accesses(&self, reg: Reg) -> u32 {
        self.lives[reg.index()].accesses
    }

    /// Whether instruction `number` may overwrite the lanes of threads that do not take part:
    /// it is the first to assign the register, and threads that have left a loop do not read it
    /// afterwards.
    pub(super) fn is_whole(&self, reg: Reg, number: usize) -> bool {
        let life = &self.lives[reg.index()];
        life.first == number && life.loops.last().is_none_or(|&(_, end)| life.last <= end)
    }

    /// Whether a view is stored to between `number`, which assigns `reg`, and its last use.
    pub(super) fn is_held(&self, reg: Reg, number: usize) -> bool {
        let last = self.lives[reg.index()].last;
        self.stores.iter().any(|&store| number < store && store < last)
    }
}

struct Scan {
    lives: Vec<Option<Life>>,
    stores: Vec<usize>,
    number: usize,
}

impl Scan {
    /// `loops` holds the last instruction's number of each loop around the block.
    fn block(&mut self, block: &[Inst], loops: &mut Vec<(usize, usize)>) {
        for inst in block {
            let number = self.number;
            self.number += 1;
            inst.for_each_operand(|operand| {
                if let Operand::Reg(reg) = operand {
                    self.touch(reg, number, loops);
                }
            });
            if let Some(dst) = inst.dst() {
                self.touch(dst, number, loops);
            }
            if let Inst::Store { to: Place::Here(_), .. } = inst {
                self.stores.push(number);
            }
            let inner = inst.blocks();
            if let Inst::Loop { body } = inst {
                loops.push((number, number + size(body)));
            }
            for block in inner {
                self.block(block, loops);
            }
            if let Inst::Loop { .. } = inst {
                loops.pop();
            }
        }
    }

    fn touch(&mut self, reg: Reg, number: usize, loops: &[(usize, usize)]) {
        let life = self.lives[reg.index()].get_or_insert_with(|| Life {
            first: number,
            last: number,
            loops: loops.to_vec(),
            accesses: 0,
        });
        life.accesses += 1;
        life.last = life.last.max(number);
        // What comes from before a loop and is touched inside it lives through all its rounds.
        for &(start, end) in loops {
            if life.first < start {
                life.last = life.last.max(end);
            }
        }
    }
}

/// Instructions in a block and all blocks inside it.
fn size(block: &[Inst]) -> usize {
    let inner = |inst: &Inst| inst.blocks().into_iter().map(size).sum::<usize>();
    block.iter().map(|inst| 1 + inner(inst)).sum()
}
