//! Faults in kernels: wild pointers, stack overflow, division by zero, and running too long.
//! A signal handler ends the coroutine that caused them; faults elsewhere go where they went.

use super::stack::OneStack;
use corosensei::trap::{CoroutineTrapHandler, TrapHandlerRegs};
use std::cell::Cell;
use std::sync::Once;

/// How a thread of a kernel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Fault {
        signal: i32,
        address: usize,
        pc: usize,
        overflow: bool,
    },
    Cancelled {
        pc: usize,
    },
    /// The checker has stopped it.
    Stopped,
}

/// The coroutine running on this thread.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub(crate) handler: CoroutineTrapHandler<Exit>,
    pub(crate) stack: OneStack,
}

thread_local! {
    static RUNNING: Cell<*const Running> = const { Cell::new(std::ptr::null()) };
    /// Whether a kernel has called back into Rust, where it must not be interrupted.
    static IN_HOST: Cell<bool> = const { Cell::new(false) };
    static ALTERNATE: Cell<bool> = const { Cell::new(false) };
}

/// The signal that tells a worker its time is up. Ignored by default, and rarely used.
pub(crate) const CANCEL: i32 = libc::SIGURG;

/// Runs `f` with this thread's kernel faults caught for `running`.
pub(crate) fn guarded<T>(running: &Running, f: impl FnOnce() -> T) -> T {
    RUNNING.set(running);
    let out = f();
    RUNNING.set(std::ptr::null());
    out
}

/// Marks a callback from a kernel.
pub(crate) fn in_host<T>(f: impl FnOnce() -> T) -> T {
    let was = IN_HOST.replace(true);
    let out = f();
    IN_HOST.set(was);
    out
}

/// Installs the handlers once, and an alternate stack for this thread.
pub(crate) fn prepare_thread() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, CANCEL] {
            // SAFETY: `handle` only touches thread-local cells and the interrupted context.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                let mut old: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, &action, &mut old);
                OLD.lock().unwrap_or_else(|e| e.into_inner()).push((signal, old));
            }
        }
    });
    if ALTERNATE.replace(true) {
        return;
    }
    let size = 64 * 1024;
    // SAFETY: the memory is leaked on purpose: it must live as long as the thread.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANON,
            -1,
            0,
        );
        if memory != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: size };
            libc::sigaltstack(&stack, std::ptr::null_mut());
        }
    }
}

static OLD: std::sync::Mutex<Vec<(i32, libc::sigaction)>> = std::sync::Mutex::new(Vec::new());

unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let running = RUNNING.get();
    let context = context.cast::<libc::ucontext_t>();
    if !running.is_null() && !IN_HOST.get() {
        // SAFETY: set by `guarded` for as long as the coroutine runs on this thread; the kernel
        // gives us a valid context.
        let (running, context) = unsafe { (&*running, &mut *context) };
        let (sp, pc) = registers(context);
        if running.handler.stack_ptr_in_bounds(sp) {
            // SAFETY: the field is valid for the fault signals; for others it is not used.
            let address = if signal == CANCEL { 0 } else { unsafe { (*info).si_addr() as usize } };
            let exit = match signal {
                CANCEL => Exit::Cancelled { pc },
                _ => Exit::Fault { signal, address, pc, overflow: running.stack.in_guard(address) },
            };
            // SAFETY: kernels hold no Rust objects, so their stack may be discarded; `IN_HOST`
            // says that no Rust frame is on it.
            let regs = unsafe { running.handler.setup_trap_handler(move || exit) };
            set_registers(context, regs);
            return;
        }
    }
    if signal == CANCEL {
        return;
    }
    // Not ours: give the signal back to whoever had it and let it happen again.
    let old = match OLD.try_lock() {
        Ok(list) => list.iter().find(|(s, _)| *s == signal).map(|(_, a)| *a),
        Err(_) => None,
    };
    // SAFETY: restoring a disposition that was valid before.
    unsafe {
        match old {
            Some(action) => libc::sigaction(signal, &action, std::ptr::null_mut()),
            None => libc::signal(signal, libc::SIG_DFL) as i32,
        };
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn registers(c: &libc::ucontext_t) -> (usize, usize) {
    let g = &c.uc_mcontext.gregs;
    (g[libc::REG_RSP as usize] as usize, g[libc::REG_RIP as usize] as usize)
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn set_registers(c: &mut libc::ucontext_t, r: TrapHandlerRegs) {
    let g = &mut c.uc_mcontext.gregs;
    g[libc::REG_RIP as usize] = r.rip as i64;
    g[libc::REG_RSP as usize] = r.rsp as i64;
    g[libc::REG_RBP as usize] = r.rbp as i64;
    g[libc::REG_RDI as usize] = r.rdi as i64;
    g[libc::REG_RSI as usize] = r.rsi as i64;
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
fn registers(c: &libc::ucontext_t) -> (usize, usize) {
    (c.uc_mcontext.sp as usize, c.uc_mcontext.pc as usize)
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
fn set_registers(c: &mut libc::ucontext_t, r: TrapHandlerRegs) {
    c.uc_mcontext.pc = r.pc;
    c.uc_mcontext.sp = r.sp;
    c.uc_mcontext.regs[0] = r.x0;
    c.uc_mcontext.regs[1] = r.x1;
    c.uc_mcontext.regs[29] = r.x29;
    c.uc_mcontext.regs[30] = r.lr;
}

#[cfg(all(target_vendor = "apple", target_arch = "aarch64"))]
fn registers(c: &libc::ucontext_t) -> (usize, usize) {
    // SAFETY: the system gives a valid machine context.
    let s = unsafe { &(*c.uc_mcontext).__ss };
    (s.__sp as usize, s.__pc as usize)
}

#[cfg(all(target_vendor = "apple", target_arch = "aarch64"))]
fn set_registers(c: &mut libc::ucontext_t, r: TrapHandlerRegs) {
    // SAFETY: as above.
    let s = unsafe { &mut (*c.uc_mcontext).__ss };
    s.__pc = r.pc;
    s.__sp = r.sp;
    s.__x[0] = r.x0;
    s.__x[1] = r.x1;
    s.__fp = r.x29;
    s.__lr = r.lr;
}

#[cfg(all(target_vendor = "apple", target_arch = "x86_64"))]
fn registers(c: &libc::ucontext_t) -> (usize, usize) {
    // SAFETY: the system gives a valid machine context.
    let s = unsafe { &(*c.uc_mcontext).__ss };
    (s.__rsp as usize, s.__rip as usize)
}

#[cfg(all(target_vendor = "apple", target_arch = "x86_64"))]
fn set_registers(c: &mut libc::ucontext_t, r: TrapHandlerRegs) {
    // SAFETY: as above.
    let s = unsafe { &mut (*c.uc_mcontext).__ss };
    s.__rip = r.rip;
    s.__rsp = r.rsp;
    s.__rbp = r.rbp;
    s.__rdi = r.rdi;
    s.__rsi = r.rsi;
}
