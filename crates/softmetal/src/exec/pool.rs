//! Threads that help with dispatches, and the watchdog that ends those that take too long.

use super::trap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    // Kernels cannot poison: they run no Rust that holds these locks.
    m.lock().unwrap_or_else(|e| e.into_inner())
}

/// Work that several threads do at once; each runs it to the end.
struct Task {
    /// The caller's closure, alive until the task is finished.
    work: *const (dyn Fn() + Sync),
    state: Mutex<(usize, usize)>, // tickets not yet taken, helpers at work
    finished: Condvar,
}

// SAFETY: `work` is Sync and outlives the task (`run` waits).
unsafe impl Send for Task {}
// SAFETY: as above.
unsafe impl Sync for Task {}

struct Pool {
    tasks: Mutex<Vec<Arc<Task>>>,
    wake: Condvar,
    helpers: usize,
}

fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    let mut fresh = false;
    let pool = POOL.get_or_init(|| {
        fresh = true;
        let helpers = std::thread::available_parallelism().map_or(1, |n| n.get()) - 1;
        Pool { tasks: Mutex::new(Vec::new()), wake: Condvar::new(), helpers }
    });
    if fresh {
        for i in 0..pool.helpers {
            // Without a helper the caller does the work alone.
            let _ = std::thread::Builder::new()
                .name(format!("softmetal-{i}"))
                .spawn(|| help(pool_now()));
        }
    }
    pool
}

fn pool_now() -> &'static Pool {
    pool()
}

fn help(pool: &'static Pool) {
    loop {
        let task = {
            let mut tasks = lock(&pool.tasks);
            loop {
                let found = tasks.iter().position(|t| {
                    let mut s = lock(&t.state);
                    let free = s.0 > 0;
                    if free {
                        *s = (s.0 - 1, s.1 + 1);
                    }
                    free
                });
                match found {
                    Some(i) => break tasks[i].clone(),
                    None => tasks = pool.wake.wait(tasks).unwrap_or_else(|e| e.into_inner()),
                }
            }
        };
        // SAFETY: a taken ticket keeps `run` waiting, and with it the closure alive.
        unsafe { (*task.work)() };
        lock(&task.state).1 -= 1;
        task.finished.notify_all();
    }
}

/// Runs `work` on this thread and on up to `helpers` others, and waits for all of them.
pub(crate) fn run(helpers: usize, work: &(dyn Fn() + Sync)) {
    let pool = pool();
    let helpers = helpers.min(pool.helpers);
    if helpers == 0 {
        return work();
    }
    // SAFETY: the lifetime is put back by waiting below until no helper is at work.
    let erased: *const (dyn Fn() + Sync) =
        unsafe { std::mem::transmute(work as *const (dyn Fn() + Sync + '_)) };
    let task =
        Arc::new(Task { work: erased, state: Mutex::new((helpers, 0)), finished: Condvar::new() });
    lock(&pool.tasks).push(task.clone());
    pool.wake.notify_all();
    work();
    lock(&pool.tasks).retain(|t| !Arc::ptr_eq(t, &task));
    let mut state = lock(&task.state);
    state.0 = 0;
    while state.1 > 0 {
        state = task.finished.wait(state).unwrap_or_else(|e| e.into_inner());
    }
}

/// What the watchdog knows of a dispatch.
pub(crate) struct Watched {
    deadline: Instant,
    pub(crate) expired: AtomicBool,
    threads: Mutex<Vec<libc::pthread_t>>,
}

impl Watched {
    /// Starts watching: past the limit, threads that `enter` are interrupted until they `leave`.
    pub(crate) fn start(limit: Duration) -> Arc<Watched> {
        let deadline = Instant::now()
            .checked_add(limit)
            .unwrap_or_else(|| Instant::now() + Duration::from_secs(1 << 30));
        let watched = Arc::new(Watched {
            deadline,
            expired: AtomicBool::new(false),
            threads: Mutex::new(Vec::new()),
        });
        static LIST: OnceLock<(Mutex<Vec<std::sync::Weak<Watched>>>, Condvar)> = OnceLock::new();
        let mut fresh = false;
        let list = LIST.get_or_init(|| {
            fresh = true;
            (Mutex::new(Vec::new()), Condvar::new())
        });
        if fresh {
            let _ = std::thread::Builder::new()
                .name("softmetal-watchdog".into())
                .spawn(move || watch(list));
        }
        lock(&list.0).push(Arc::downgrade(&watched));
        list.1.notify_one();
        watched
    }

    pub(crate) fn enter(&self) {
        // SAFETY: always succeeds.
        lock(&self.threads).push(unsafe { libc::pthread_self() });
    }

    pub(crate) fn leave(&self) {
        // SAFETY: always succeeds.
        let me = unsafe { libc::pthread_self() };
        lock(&self.threads).retain(|&t| t != me);
    }
}

fn watch(list: &'static (Mutex<Vec<std::sync::Weak<Watched>>>, Condvar)) {
    let mut all = lock(&list.0);
    loop {
        all.retain(|w| w.strong_count() > 0);
        let now = Instant::now();
        let mut next = Duration::from_secs(3600);
        for w in all.iter().filter_map(|w| w.upgrade()) {
            if w.deadline > now {
                next = next.min(w.deadline - now);
                continue;
            }
            w.expired.store(true, Ordering::SeqCst);
            // Again and again: the signal is ignored while the thread is in a callback.
            next = next.min(Duration::from_millis(5));
            for &t in lock(&w.threads).iter() {
                // SAFETY: a thread leaves the list, under this lock, before it can end.
                unsafe { libc::pthread_kill(t, trap::CANCEL) };
            }
        }
        all = if all.is_empty() {
            list.1.wait(all).unwrap_or_else(|e| e.into_inner())
        } else {
            list.1.wait_timeout(all, next).unwrap_or_else(|e| e.into_inner()).0
        };
    }
}
