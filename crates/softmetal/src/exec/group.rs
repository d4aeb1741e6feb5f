//! The order in which the threads of a group run, and who meets whom.

use super::abi::*;
use super::shuffle::Shuffle;
use super::worker::{Host, Thread, Waiting};
use super::{Fault, Launch};

/// Runs all threads of a group to the end.
pub(crate) fn schedule(
    launch: &Launch,
    threads: &mut [Thread],
    simds: &mut [Simd],
    host: &Host,
) -> Result<(), Fault> {
    let groups = threads.len().div_ceil(WIDTH);
    let shuffle = Shuffle::new(launch.seed);
    let mut round = 0u32;
    loop {
        let order = shuffle.order(groups as u32, round);
        for k in 0..groups {
            let g = order.pick(k as u32) as usize;
            let end = ((g + 1) * WIDTH).min(threads.len());
            simdgroup(launch, &mut threads[g * WIDTH..end], &mut simds[g], &shuffle, round, host)?;
        }
        round += 1;
        let Some(flags) = barrier(launch, threads)? else {
            return Ok(());
        };
        if let Some(c) = host.checker {
            // SAFETY: only this worker uses its local checker.
            unsafe { (*c).barrier(flags) };
        }
        for t in threads.iter_mut().filter(|t| t.at != Waiting::Gone) {
            t.at = Waiting::Ready;
        }
    }
}

/// Everyone is at a barrier or gone. `None` when all are gone.
fn barrier(launch: &Launch, threads: &[Thread]) -> Result<Option<u32>, Fault> {
    let mut first: Option<(usize, usize)> = None;
    for (i, t) in threads.iter().enumerate() {
        if let Waiting::At { site, .. } = t.at {
            match first {
                None => first = Some((i, site)),
                Some((_, other)) if other == site => {}
                Some((j, other)) => {
                    return Err(Fault::Diverged {
                        kind: BARRIER,
                        sites: vec![(j as u32, other), (i as u32, site)],
                        group: state(&threads[0]).position,
                        gone: None,
                        what: "threads of one threadgroup wait at different barriers",
                    });
                }
            }
        }
    }
    let Some((i, site)) = first else {
        return Ok(None);
    };
    // GPUs count only those that are still there; the standard has no such thing.
    let gone = threads.iter().position(|t| t.at == Waiting::Gone);
    if let Some(gone) = gone.filter(|_| launch.check.is_some()) {
        return Err(Fault::Diverged {
            kind: BARRIER,
            sites: vec![(i as u32, site)],
            group: state(&threads[0]).position,
            gone: Some(gone as u32),
            what: "a thread has returned while others of its threadgroup wait at a barrier",
        });
    }
    launch.count_barrier();
    Ok(Some(state(&threads[i]).flags))
}

fn state(t: &Thread) -> &ThreadState {
    // SAFETY: threads are suspended while the scheduler looks at them.
    unsafe { &*t.state }
}

/// Runs one SIMD-group until all its lanes are gone or at a threadgroup barrier.
fn simdgroup(
    launch: &Launch,
    lanes: &mut [Thread],
    simd: &mut Simd,
    shuffle: &Shuffle,
    round: u32,
    host: &Host,
) -> Result<(), Fault> {
    loop {
        let order = shuffle.order(lanes.len() as u32, round ^ 0x5bd1);
        for k in 0..lanes.len() {
            let i = order.pick(k as u32) as usize;
            if lanes[i].at == Waiting::Ready {
                let state = lanes[i].state;
                lanes[i].step().map_err(|exit| launch.fault(exit, state))?;
            }
        }
        // The lanes that wait at the first SIMD operation found, and whether that is all of them.
        let mut chosen: Option<(u32, usize)> = None;
        let mut mask = 0u32;
        let mut elsewhere: Option<(u32, usize)> = None;
        for (i, t) in lanes.iter().enumerate() {
            let Waiting::At { kind, site } = t.at else {
                continue;
            };
            if kind != BARRIER && chosen.is_none_or(|(k, s)| (k, s) == (kind, site)) {
                chosen = Some((kind, site));
                mask |= 1 << i;
            } else {
                elsewhere = elsewhere.or(Some((i as u32, site)));
            }
        }
        let Some((kind, site)) = chosen else {
            return Ok(());
        };
        if let Some(what) = launch.lacks.what(kind) {
            return Err(Fault::Lacks { what, pc: site });
        }
        let first = mask.trailing_zeros();
        if let Some((other, other_site)) = elsewhere {
            let strict = launch.check.is_some() || kind == MATRIX || kind == SIMD_BARRIER;
            if strict {
                let base = state(&lanes[0]).index;
                return Err(Fault::Diverged {
                    kind,
                    sites: vec![(base + first, site), (base + other, other_site)],
                    group: state(&lanes[0]).position,
                    gone: None,
                    what: "lanes of one SIMD-group are at different places",
                });
            }
        }
        if kind == SHUFFLE && launch.check.is_some() {
            absent(lanes, mask, site)?;
        }
        launch.count_simd();
        if kind == SIMD_BARRIER
            && let Some(c) = host.checker
        {
            // SAFETY: only this worker uses its local checker.
            unsafe { (*c).simd_barrier(state(&lanes[0]).index / WIDTH as u32) };
        }
        simd.active = mask;
        simd.slot[(simd.turn & 1) as usize].ready = 0;
        simd.turn = simd.turn.wrapping_add(1);
        for (i, t) in lanes.iter_mut().enumerate() {
            if mask >> i & 1 == 1 {
                t.at = Waiting::Ready;
            }
        }
    }
}

/// A shuffle that reads a lane which is not there gives garbage on a GPU.
fn absent(lanes: &[Thread], mask: u32, site: usize) -> Result<(), Fault> {
    for (i, t) in lanes.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
        let from = state(t).flags;
        if from >= WIDTH as u32 || mask >> from & 1 == 0 {
            let what = match from >= WIDTH as u32 {
                true => "a lane beyond the 32 of a SIMD-group is read",
                false => "a lane is read that does not take part",
            };
            return Err(Fault::Diverged {
                kind: SHUFFLE,
                sites: vec![(state(&lanes[0]).index + i as u32, site)],
                group: state(t).position,
                gone: (from < WIDTH as u32).then(|| state(&lanes[0]).index + from),
                what,
            });
        }
    }
    Ok(())
}
