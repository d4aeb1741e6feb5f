//! Keeps the process alive if a mapped file is truncated: reading past its end then gives zeros and
//! sets a flag, where the system would end the process by SIGBUS. All `unsafe` of this is here.

use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::{
        Once, OnceLock,
        atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence},
    },
};

/// A range of addresses in which faults are survived, as long as it lives.
pub(super) struct Guard(&'static Node);

/// One entry of the list that the handler walks. Entries are never freed, only used again, so the
/// handler may look at any of them at any time without a lock.
struct Node {
    /// Odd while the range changes (a seqlock).
    version: AtomicUsize,
    start: AtomicUsize,
    /// 0 for an entry that is free.
    len: AtomicUsize,
    faulted: AtomicBool,
    taken: AtomicBool,
    next: AtomicPtr<Node>,
}

static NODES: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());
static PAGE: AtomicUsize = AtomicUsize::new(0);
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();
static INSTALL: Once = Once::new();

impl Guard {
    /// Guards a mapping of a file, which must stay mapped until the guard is dropped.
    pub(super) fn new(mapping: &[u8]) -> Guard {
        INSTALL.call_once(install);
        let node = free_node();
        node.faulted.store(false, Ordering::Relaxed);
        node.set(mapping.as_ptr().addr(), mapping.len());
        Guard(node)
    }

    /// Whether a byte was read that the file no longer has.
    pub(super) fn has_faulted(&self) -> bool {
        self.0.faulted.load(Ordering::Relaxed)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.set(0, 0);
        self.0.taken.store(false, Ordering::Release);
    }
}

impl Node {
    /// Only the one who has taken the entry may call this.
    fn set(&self, start: usize, len: usize) {
        self.version.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.start.store(start, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The end of the range, if `address` is in it. An entry that is just being changed is of a
    /// mapping that nobody can be reading, so it is not the one looked for.
    fn end_if_holds(&self, address: usize) -> Option<usize> {
        let before = self.version.load(Ordering::Acquire);
        let start = self.start.load(Ordering::Relaxed);
        let len = self.len.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let same = self.version.load(Ordering::Relaxed) == before && before.is_multiple_of(2);
        (same && address.wrapping_sub(start) < len).then(|| start + len)
    }
}

/// All entries, newest first.
fn nodes() -> impl Iterator<Item = &'static Node> {
    let mut next = NODES.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: pointers in the list are null or from `Box::leak`, and were published after the
        // entry was complete.
        let node: &'static Node = unsafe { next.as_ref() }?;
        next = node.next.load(Ordering::Relaxed);
        Some(node)
    })
}

fn free_node() -> &'static Node {
    let take = |node: &&Node| {
        node.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    if let Some(node) = nodes().find(take) {
        return node;
    }
    let node: &'static mut Node = Box::leak(Box::new(Node {
        version: AtomicUsize::new(0),
        start: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        faulted: AtomicBool::new(false),
        taken: AtomicBool::new(true),
        next: AtomicPtr::new(NODES.load(Ordering::Relaxed)),
    }));
    let mut head = *node.next.get_mut();
    let node: *mut Node = node;
    loop {
        // SAFETY: the entry is leaked, so it lives forever; it is only used by shared references.
        let shared: &'static Node = unsafe { &*node };
        shared.next.store(head, Ordering::Relaxed);
        match NODES.compare_exchange_weak(head, node, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return shared,
            Err(now) => head = now,
        }
    }
}

/// Puts the handler in place, in front of the one that is there.
fn install() {
    // SAFETY: `sysconf` only reads; `sigaction` gets valid pointers to structures of its own kind,
    // for which all zeros are valid values. The handler only does what a signal handler may: it
    // reads atomics, calls `mmap` and `sigaction`, which are plain system calls, and returns. What
    // was installed before is stored before the handler can run.
    unsafe {
        PAGE.store(libc::sysconf(libc::_SC_PAGESIZE).max(4096) as usize, Ordering::Relaxed);
        let mut previous: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGBUS, ptr::null(), &mut previous) != 0 {
            return;
        }
        let _ = PREVIOUS.set(previous);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)
            as libc::sighandler_t;
        // On the thread's signal stack, as the standard library's handler of stack overflows, which
        // this one calls, needs it.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
    }
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a valid `info` to a handler with SA_SIGINFO. Signals that a process
    // has sent have a code of 0 or below and no address.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
    let found = nodes().find_map(|node| Some((node, node.end_if_holds(address)?)));
    if let Some((node, end)) = found
        && code > 0
    {
        let page = PAGE.load(Ordering::Relaxed);
        let start = address & !(page - 1);
        let len = end.next_multiple_of(page) - start;
        // SAFETY: the range is the rest of a mapping of ours, from the page that the file no longer
        // has: the guard lives as long as the mapping, and the thread that has faulted is reading
        // it. Nothing else is mapped there. Zeros take the place of bytes that nobody can read; they
        // are read as plain numbers or checked text, and the flag makes the result an error.
        let zeros = unsafe {
            libc::mmap(
                ptr::with_exposed_provenance_mut(start),
                len,
                libc::PROT_READ,
                libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        if zeros != libc::MAP_FAILED {
            node.faulted.store(true, Ordering::Relaxed);
            return;
        }
    }
    pass_on(signal, info, context);
}

/// Does what would have been done without this handler.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let previous = PREVIOUS.get();
    let handler = previous.map_or(libc::SIG_DFL, |action| action.sa_sigaction);
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // The instruction runs again when this returns, and ends the process as usual.
        // SAFETY: as in `install`.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(signal, &action, ptr::null_mut());
        }
        return;
    }
    let with_info = previous.is_some_and(|action| action.sa_flags & libc::SA_SIGINFO != 0);
    // SAFETY: it is the address of a handler that somebody has installed; its flags say which kind
    // it is. It gets what the system has passed to this one.
    unsafe {
        if with_info {
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(handler);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
            handler(signal);
        }
    }
}
