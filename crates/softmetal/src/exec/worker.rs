//! One thread's part of a dispatch: its stacks, its threadgroup memory, and the threadgroups it
//! takes, each run to the end before the next.

use super::abi::*;
use super::pool::Watched;
use super::shuffle::Shuffle;
use super::stack::Stacks;
use super::trap::{self, Exit, Running};
use super::{Fault, Launch};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::RefCell;
use std::sync::atomic::Ordering;

/// The Rust side of a worker, for callbacks out of kernels.
pub(crate) struct Host {
    pub(crate) checker: Option<*mut crate::check::Local>,
    sites: *const crate::check::Site,
}

/// What a thread keeps between dispatches.
struct Worker {
    stacks: Stacks,
    shared: Vec<u128>,
    simds: Vec<Simd>,
    /// For each stack, of checked kernels: which bytes are no variable's.
    private: Vec<Box<[u8]>>,
}

thread_local! {
    static WORKER: RefCell<Option<Box<Worker>>> = const { RefCell::new(None) };
}

fn zeroed_simds(n: usize) -> Vec<Simd> {
    // SAFETY: plain numbers; zero is a value of each.
    (0..n).map(|_| unsafe { std::mem::zeroed() }).collect()
}

/// Takes threadgroups until there are none left or one fails.
pub(crate) fn work(launch: &Launch, watched: &Watched) {
    trap::prepare_thread();
    WORKER.with_borrow_mut(|slot| {
        let need = if launch.meets { launch.threads_per_group() } else { 1 };
        if slot.as_ref().is_none_or(|w| w.stacks.count() < need) {
            match Stacks::new(need.max(64).next_power_of_two()) {
                Ok(stacks) => {
                    *slot = Some(Box::new(Worker {
                        stacks,
                        shared: Vec::new(),
                        simds: Vec::new(),
                        private: Vec::new(),
                    }));
                }
                Err(e) => return launch.fail(Fault::message(format!("no memory for stacks: {e}"))),
            }
        }
        if let Some(worker) = slot.as_mut() {
            watched.enter();
            worker.run(launch, watched);
            watched.leave();
        }
    });
}

impl Worker {
    fn run(&mut self, launch: &Launch, watched: &Watched) {
        let words = launch.threadgroup_bytes().div_ceil(16) + 4;
        if self.shared.len() < words {
            self.shared = vec![0; words];
        }
        let simds = launch.threads_per_group().div_ceil(WIDTH);
        if self.simds.len() < simds {
            self.simds = zeroed_simds(simds);
        }
        let stacks = if launch.meets { launch.threads_per_group() } else { 1 };
        while launch.check.is_some() && self.private.len() < stacks {
            self.private.push(vec![0; STACK / 8].into_boxed_slice());
        }
        let shared = self.shared.as_mut_ptr() as usize;
        let mut checker = launch.check.as_ref().map(|c| {
            let range = shared..shared + launch.threadgroup_bytes();
            c.local(range, launch.layout.spans.clone())
        });
        let sites = checker.as_ref().map_or(crate::check::IDLE.as_ptr(), |c| c.sites());
        let host = Host { checker: checker.as_mut().map(|c| c as *mut _), sites };
        let call = launch.call(shared, &host);
        if let Some(c) = checker.as_mut() {
            let simds = self.simds.as_ptr_range();
            c.ignore(simds.start as usize..simds.end as usize);
            c.ignore(&raw const call as usize..&raw const call as usize + size_of::<Call>());
            c.ignore(launch.module.image.clone());
            c.ignore(launch.slots_range());
        }
        while let Some(groups) = launch.take() {
            let outcome = if launch.meets {
                groups.clone().try_for_each(|g| self.group(launch, &call, g))
            } else {
                self.plain(launch, &call, groups)
            };
            if let Err(fault) = outcome {
                // Threads that were ended have not cleared what they marked.
                self.private = Vec::new();
                launch.fail(fault);
            }
            if watched.expired.load(Ordering::Relaxed) {
                launch.fail(Fault::TooLong { pc: 0 });
            }
        }
        if let (Some(local), Some(run)) = (checker, &launch.check) {
            run.merge(local);
        }
    }

    /// Kernels whose threads never meet: one coroutine runs them all, in a loop.
    fn plain(
        &mut self,
        launch: &Launch,
        call: &Call,
        groups: std::ops::Range<u32>,
    ) -> Result<(), Fault> {
        self.spoil(launch);
        let stack = self.stacks.get(0);
        let state = stack.state();
        // SAFETY: the state lies at the top of a stack that only this worker uses; all zero is valid.
        unsafe {
            *state = std::mem::zeroed();
            (*state).call = call;
            (*state).simd = self.simds.as_mut_ptr();
            (*state).sites = (*call.host).sites;
            (*state).private = self.private.first().map_or(0, |p| p.as_ptr() as usize);
        }
        let call_at = call as *const Call as usize;
        let entry = (launch.walk, launch.run);
        let shuffle = Shuffle::new(launch.seed);
        let launch_at = launch as *const Launch as usize;
        let body = move |yielder: &Yielder<(), ()>, (): ()| -> Exit {
            let call = call_at as *const Call;
            let here = 0u8;
            // SAFETY: entry points belong to this launch's module, which is alive, and were
            // compiled from the same ABI; pointers are to the worker's own frame above us.
            unsafe {
                (*state_of(&raw const here as usize)).yielder = yielder as *const _ as usize;
                if let Some(run) = entry.1 {
                    run(call, groups.start, groups.len() as u32);
                } else if let Some(walk) = entry.0 {
                    let launch = &*(launch_at as *const Launch);
                    for g in groups.clone() {
                        if let Some(c) = (*(*call).host).checker {
                            (*c).begin_group();
                        }
                        let number = launch.group_number(g);
                        let position = launch.position(number);
                        let size = launch.group_size(position);
                        let at = Index { position, local: [0; 3], size };
                        let state = &mut *state_of(&raw const at as usize);
                        state.position = position;
                        state.size = size;
                        let order = shuffle.order(size.iter().product(), g);
                        let first = number.wrapping_mul(launch.threads_per_group() as u32);
                        walk(call, &at, first, order.first, order.step);
                    }
                }
            }
            Exit::Done
        };
        // SAFETY: the closure captures only numbers and code addresses that outlive it.
        let mut coroutine =
            unsafe { Coroutine::<(), (), Exit, _>::with_stack_unchecked(stack, body) };
        let running = Running { handler: coroutine.trap_handler(), stack };
        let result = trap::guarded(&running, || coroutine.resume(()));
        match result {
            CoroutineResult::Return(Exit::Done) => Ok(()),
            CoroutineResult::Return(exit) => Err(launch.fault(exit, state)),
            CoroutineResult::Yield(()) => {
                // SAFETY: only kernel frames are on it, and they own nothing.
                unsafe { coroutine.force_reset() };
                Err(Fault::Stopped)
            }
        }
    }

    /// Threadgroup memory holds anything when a threadgroup begins: no number in any format.
    fn spoil(&mut self, launch: &Launch) {
        let words = launch.threadgroup_bytes().div_ceil(16);
        self.shared[..words].fill(0xffc1_ffc1_ffc1_ffc1_ffc1_ffc1_ffc1_ffc1);
    }

    /// One threadgroup whose threads meet: a coroutine for each.
    fn group(&mut self, launch: &Launch, call: &Call, number: u32) -> Result<(), Fault> {
        let number = launch.group_number(number);
        let position = launch.position(number);
        let size = launch.group_size(position);
        let n = size.iter().product::<u32>() as usize;
        let thread =
            launch.thread.ok_or_else(|| Fault::message("internal: no thread entry".into()))?;
        // SAFETY: the host is this worker's own, on a frame above.
        let host = unsafe { &*call.host };
        if let Some(c) = host.checker {
            // SAFETY: only this thread uses the local checker.
            unsafe { (*c).begin_group() };
        }
        let mut threads: Vec<Thread> = Vec::with_capacity(n);
        for i in 0..n {
            let stack = self.stacks.get(i);
            let state = stack.state();
            let local =
                [i as u32 % size[0], i as u32 / size[0] % size[1], i as u32 / size[0] / size[1]];
            let simd = &raw mut self.simds[i / WIDTH];
            // SAFETY: as in `plain`.
            unsafe {
                *state = ThreadState {
                    call,
                    simd,
                    site: 0,
                    kind: 0,
                    flags: 0,
                    position,
                    size,
                    local,
                    index: i as u32,
                    lane: (i % WIDTH) as u32,
                    alive: 1,
                    number: number.wrapping_mul(launch.threads_per_group() as u32) + i as u32,
                    sites: host.sites,
                    private: self.private.get(i).map_or(0, |p| p.as_ptr() as usize),
                    yielder: 0,
                };
            }
            let call_at = call as *const Call as usize;
            let body = move |yielder: &Yielder<(), ()>, (): ()| -> Exit {
                let at = Index { position, local, size };
                // SAFETY: as in `plain`; `meet` reads the yielder back before anyone else runs.
                unsafe {
                    let state = &mut *state_of(&raw const at as usize);
                    state.yielder = yielder as *const _ as usize;
                    thread(call_at as *const Call, &at);
                }
                Exit::Done
            };
            // SAFETY: as in `plain`.
            let coroutine = unsafe { Coroutine::with_stack_unchecked(stack, body) };
            let running = Running { handler: coroutine.trap_handler(), stack };
            threads.push(Thread { coroutine, running, state, at: Waiting::Ready });
        }
        for s in &mut self.simds[..n.div_ceil(WIDTH)] {
            s.turn = 0;
        }
        self.spoil(launch);
        let result = super::group::schedule(launch, &mut threads, &mut self.simds, host);
        for t in &mut threads {
            // SAFETY: what is left on the stacks are kernel frames, which own nothing.
            unsafe { t.coroutine.force_reset() };
        }
        result
    }
}

/// Where a thread of a group stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waiting {
    Ready,
    At { kind: u32, site: usize },
    Gone,
}

pub(crate) struct Thread {
    coroutine: Coroutine<(), (), Exit, super::stack::OneStack>,
    running: Running,
    pub(crate) state: *mut ThreadState,
    pub(crate) at: Waiting,
}

impl Thread {
    /// Runs until the thread meets or ends.
    pub(crate) fn step(&mut self) -> Result<(), Exit> {
        match trap::guarded(&self.running, || self.coroutine.resume(())) {
            CoroutineResult::Yield(()) => {
                // SAFETY: the thread is suspended: nobody else touches its state.
                let s = unsafe { &*self.state };
                if s.kind == STOPPED {
                    self.at = Waiting::Gone;
                    return Err(Exit::Stopped);
                }
                self.at = Waiting::At { kind: s.kind, site: s.site };
                Ok(())
            }
            CoroutineResult::Return(Exit::Done) => {
                self.at = Waiting::Gone;
                Ok(())
            }
            CoroutineResult::Return(exit) => {
                self.at = Waiting::Gone;
                Err(exit)
            }
        }
    }
}

/// Called by kernels at a meeting point: hands over to the scheduler.
pub(crate) unsafe extern "C" fn meet(state: *mut ThreadState) {
    // SAFETY: the state is the caller's own, and its yielder was put there when it started.
    unsafe {
        if let Some(y) = ((*state).yielder as *const Yielder<(), ()>).as_ref() {
            y.suspend(());
        }
    }
}
