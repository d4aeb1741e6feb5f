//! The thread pool: threads spin while there is work and sleep when there is none.
//!
//! A token is hundreds of ops of a few microseconds each. Waking a sleeping thread takes longer
//! than that, so threads look for the next job for a while before they sleep, and a job never
//! waits for a thread that has not joined it yet.

use bessemer_core::cpu::ThreadPool;
use std::{
    any::Any,
    cell::Cell,
    hint, io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    ptr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// A thread pool that runs the tasks of one job after another. The calling thread takes part.
pub(crate) struct WorkerPool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

struct Shared {
    /// Which job it is (upper bits), whether threads may join it (`OPEN`), and how many workers
    /// are in it now (lower bits).
    state: AtomicU64,
    /// The job; valid while it is open or a worker is in it.
    job: AtomicPtr<Job<'static>>,
    /// How many tasks of its share are taken, by thread; of no use between jobs.
    taken: Vec<Taken>,
    /// Whether the last job in shares went backwards.
    backwards: AtomicBool,
    /// Jobs that were not worth waking a thread for, while one slept.
    alone: AtomicUsize,
    sleeping: Vec<AtomicBool>,
    stop: AtomicBool,
}

/// A counter on a cache line, and the one fetched along with it, of its own.
#[derive(Default)]
#[repr(align(128))]
struct Taken(AtomicUsize);

struct Job<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    tasks: usize,
    /// One per share.
    taken: &'a [Taken],
    backwards: bool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

const OPEN: u64 = 1 << 16;
const WORKERS: u64 = OPEN - 1;
const NEXT_JOB: u64 = OPEN << 1;

/// So many jobs that are not worth waking a thread for are, together: more will follow.
const OFTEN: usize = 16;

/// How long a worker looks for the next job before it sleeps.
const SPIN: Duration = Duration::from_micros(200);

thread_local! {
    /// Whether this thread is inside a job: a job within a job runs on its thread alone.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

impl WorkerPool {
    /// A thread pool of `threads`, including the calling thread.
    pub(crate) fn new(threads: usize) -> io::Result<WorkerPool> {
        let shared = Arc::new(Shared {
            state: AtomicU64::new(0),
            job: AtomicPtr::new(ptr::null_mut()),
            taken: (0..threads).map(|_| Taken::default()).collect(),
            backwards: AtomicBool::new(false),
            alone: AtomicUsize::new(0),
            sleeping: (1..threads).map(|_| AtomicBool::new(false)).collect(),
            stop: AtomicBool::new(false),
        });
        // Dropped, and with it the workers stopped, if one can't be started.
        let mut thread_pool = WorkerPool { shared, workers: Vec::new() };
        for number in 0..threads - 1 {
            let shared = Arc::clone(&thread_pool.shared);
            let name = format!("bessemer-{}", number + 1);
            let worker = thread::Builder::new().name(name).spawn(move || shared.work(number))?;
            thread_pool.workers.push(worker);
        }
        Ok(thread_pool)
    }

    /// Counters for so many shares, of which nothing is taken.
    fn shares(&self, count: usize) -> &[Taken] {
        let taken = &self.shared.taken[..count];
        taken.iter().for_each(|taken| taken.0.store(0, Ordering::Relaxed));
        taken
    }

    /// Whether threads that sleep are woken for a job that is not worth it by itself.
    fn wakes_for_little(&self) -> bool {
        let asleep = self.shared.sleeping.iter().any(|asleep| asleep.load(Ordering::Relaxed));
        asleep && self.shared.alone.fetch_add(1, Ordering::Relaxed) % OFTEN == OFTEN - 1
    }

    /// Runs a job; the first share is the caller's. Threads that sleep take part if `wake`.
    fn run_job(&self, job: Job<'_>, wake: bool) {
        self.shared.open(&job, if wake { &self.workers } else { &[] });
        job.run(0);
        self.shared.close();
        let panic = job.panic.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl ThreadPool for WorkerPool {
    fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    fn run(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        if self.workers.is_empty() || BUSY.get() {
            return (0..tasks).for_each(work);
        }
        let job =
            Job { work, tasks, taken: self.shares(1), backwards: false, panic: Mutex::default() };
        self.run_job(job, true);
    }

    fn share(&self, tasks: usize, wake: bool, work: &(dyn Fn(usize) + Sync)) {
        if BUSY.get() {
            return (0..tasks).for_each(work);
        }
        let backwards = !self.shared.backwards.fetch_not(Ordering::Relaxed);
        match (self.workers.is_empty(), backwards) {
            (true, false) => (0..tasks).for_each(work),
            (true, true) => (0..tasks).rev().for_each(work),
            (false, _) => {
                let (taken, wake) = (self.shares(self.threads()), wake || self.wakes_for_little());
                self.run_job(Job { work, tasks, taken, backwards, panic: Mutex::default() }, wake);
            }
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // A worker can't panic: jobs are caught.
            let _ = worker.join();
        }
    }
}

impl Job<'_> {
    /// Takes tasks until there are none left, from the thread's own share first. Never panics.
    fn run(&self, thread: usize) {
        let before = BUSY.replace(true);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let shares = self.taken.len();
            for turn in 0..shares {
                let owner = (thread + turn) % shares;
                let start = self.tasks * owner / shares;
                let len = self.tasks * (owner + 1) / shares - start;
                loop {
                    let taken = self.taken[owner].0.fetch_add(1, Ordering::Relaxed);
                    if taken >= len {
                        break;
                    }
                    let nth = if self.backwards { len - 1 - taken } else { taken };
                    (self.work)(start + nth);
                }
            }
        }));
        BUSY.set(before);
        if let Err(panic) = result {
            // Nobody needs to start the rest.
            self.taken.iter().for_each(|taken| taken.0.store(self.tasks, Ordering::Relaxed));
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }
}

impl Shared {
    /// Lets workers join `job`, until `close`. Only one job may be open at a time.
    fn open(&self, job: &Job<'_>, workers: &[JoinHandle<()>]) {
        self.job.store(ptr::from_ref(job).cast_mut().cast(), Ordering::Relaxed);
        let state = self.state.load(Ordering::Relaxed);
        debug_assert_eq!(state & (OPEN | WORKERS), 0);
        // Sequentially consistent with the `sleeping` flags: either a worker sees the job before
        // it sleeps, or it is seen to sleep here.
        self.state.store((state + NEXT_JOB) | OPEN, Ordering::SeqCst);
        for (worker, sleeping) in workers.iter().zip(&self.sleeping) {
            if sleeping.load(Ordering::SeqCst) {
                worker.thread().unpark();
            }
        }
    }

    /// Lets no more workers join and waits for those that did.
    fn close(&self) {
        self.state.fetch_and(!OPEN, Ordering::Relaxed);
        let mut spins = 0u32;
        while self.state.load(Ordering::Acquire) & WORKERS != 0 {
            pause(&mut spins);
        }
    }

    /// What worker `number` does all its life.
    fn work(&self, number: usize) {
        let mut done = 0;
        loop {
            let state = self.wait(number, done);
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if self
                .state
                .compare_exchange(state, state + 1, Ordering::Acquire, Ordering::Relaxed)
                .is_err()
            {
                continue;
            }
            // SAFETY: the job was open when this worker joined, and `close` keeps it alive until
            // the worker is counted out below.
            unsafe { &*self.job.load(Ordering::Relaxed) }.run(number + 1);
            done = state & !(OPEN | WORKERS);
            self.state.fetch_sub(1, Ordering::Release);
        }
    }

    /// The state, once a job is open that is not number `done`; or the pool is to stop.
    fn wait(&self, number: usize, done: u64) -> u64 {
        let ready = || {
            let state = self.state.load(Ordering::SeqCst);
            let new = state & OPEN != 0 && state & !(OPEN | WORKERS) != done;
            (new || self.stop.load(Ordering::SeqCst)).then_some(state)
        };
        loop {
            let start = Instant::now();
            let mut spins = 0u32;
            while !spins.is_multiple_of(64) || start.elapsed() < SPIN {
                if let Some(state) = ready() {
                    return state;
                }
                pause(&mut spins);
            }
            // Said before the last look, so that a job opened in between wakes this thread.
            self.sleeping[number].store(true, Ordering::SeqCst);
            if ready().is_none() {
                thread::park();
            }
            self.sleeping[number].store(false, Ordering::SeqCst);
        }
    }
}

/// Waits a moment: a short one at first, then by letting other threads have the core.
fn pause(spins: &mut u32) {
    *spins = spins.wrapping_add(1);
    if spins.is_multiple_of(1024) {
        thread::yield_now();
    } else {
        hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once() {
        for threads in [1, 2, 5] {
            let thread_pool = WorkerPool::new(threads).unwrap();
            for tasks in [0, 1, 2, 7, 100].repeat(200) {
                for kind in 0..3 {
                    let counts: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
                    let work = |i: usize| _ = counts[i].fetch_add(1, Ordering::Relaxed);
                    match kind {
                        0 => thread_pool.run(tasks, &work),
                        _ => thread_pool.share(tasks, kind == 1, &work),
                    }
                    assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1));
                }
            }
        }
    }

    #[test]
    fn shares_are_gone_through_both_ways() {
        let thread_pool = WorkerPool::new(1).unwrap();
        let order = || {
            let order = Mutex::new(Vec::new());
            thread_pool.share(3, true, &|i| order.lock().unwrap().push(i));
            order.into_inner().unwrap()
        };
        let mut both = [order(), order()];
        both.sort();
        assert_eq!(both, [[0, 1, 2], [2, 1, 0]]);
    }

    #[test]
    fn sleeping_threads_wake_up() {
        let thread_pool = WorkerPool::new(2).unwrap();
        for _ in 0..5 {
            thread::sleep(SPIN * 5);
            // Each task waits for the other: one thread alone would never end.
            let arrived = AtomicUsize::new(0);
            thread_pool.run(2, &|_| {
                arrived.fetch_add(1, Ordering::SeqCst);
                while arrived.load(Ordering::SeqCst) < 2 {
                    thread::yield_now();
                }
            });
        }
    }

    #[test]
    fn a_job_within_a_job_runs() {
        let thread_pool = WorkerPool::new(3).unwrap();
        let count = AtomicUsize::new(0);
        thread_pool.run(4, &|_| {
            thread_pool.run(5, &|_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(count.into_inner(), 20);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_team_goes_on() {
        let thread_pool = WorkerPool::new(2).unwrap();
        for _ in 0..20 {
            let job = || thread_pool.run(10, &|i| assert_ne!(i, 5, "task five"));
            assert!(catch_unwind(AssertUnwindSafe(job)).is_err());
            let count = AtomicUsize::new(0);
            thread_pool.run(3, &|_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(count.into_inner(), 3);
        }
    }
}
