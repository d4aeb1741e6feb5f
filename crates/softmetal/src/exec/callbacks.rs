//! What kernels call: meeting points, `os_log`, and in checked mode every access that its site has
//! not settled.

use super::abi::*;
use super::{trap, worker};

pub(super) static RUNTIME: Runtime = Runtime { meet: worker::meet, log, access, misaligned };

/// `os_log` from a kernel: one line on standard error.
unsafe extern "C" fn log(
    _: *mut ThreadState,
    format: *const std::ffi::c_char,
    words: *const u64,
    n: u32,
) {
    trap::in_host(|| {
        // SAFETY: the format is a literal in the module, the words are on the caller's stack.
        let (format, words) = unsafe {
            (
                std::ffi::CStr::from_ptr(format).to_string_lossy().into_owned(),
                std::slice::from_raw_parts(words, n as usize * 2),
            )
        };
        eprintln!("{}", formatted(&format, words));
    });
}

/// Puts arguments into a printf format; each is a tag (unsigned, signed, float) and its bits.
fn formatted(format: &str, words: &[u64]) -> String {
    let mut args = words.chunks(2);
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = String::new();
        while let Some(&c) = chars.peek() {
            spec.push(c);
            chars.next();
            if c.is_ascii_alphabetic() && !matches!(c, 'l' | 'h' | 'z') || c == '%' {
                break;
            }
        }
        if spec == "%" {
            out.push('%');
            continue;
        }
        let Some([tag, bits]) = args.next() else {
            out.push_str("<missing>");
            continue;
        };
        out.push_str(&match (tag, spec.chars().next_back()) {
            (2, _) => f32::from_bits(*bits as u32).to_string(),
            (_, Some('x')) => format!("{bits:x}"),
            (1, _) => (*bits as i64).to_string(),
            _ => bits.to_string(),
        });
    }
    out
}

unsafe extern "C" fn access(address: usize, size: usize, kind: u32, pc: usize) {
    let here = 0u8;
    let state = state_of(&raw const here as usize);
    // Private memory: the thread's own stack.
    if state_of(address) == state {
        return;
    }
    // SAFETY: called by a kernel, on its stack, with its state at the top.
    let stopped = unsafe {
        let host = &*(*(*state).call).host;
        match host.checker {
            Some(local) => trap::in_host(|| (*local).access(address, size, kind, pc, &*state)),
            None => false,
        }
    };
    if stopped {
        stop(state);
    }
}

unsafe extern "C" fn misaligned(
    address: usize,
    align: u32,
    line: u32,
    file: *const std::ffi::c_char,
) {
    let here = 0u8;
    let state = state_of(&raw const here as usize);
    if state_of(address) == state {
        return;
    }
    // SAFETY: as in `access`; the file name is a string in the module.
    unsafe {
        let host = &*(*(*state).call).host;
        if let Some(local) = host.checker {
            trap::in_host(|| {
                let file = if file.is_null() {
                    String::new()
                } else {
                    std::ffi::CStr::from_ptr(file).to_string_lossy().into_owned()
                };
                (*local).misaligned(address, align, line, file, &*state);
            });
        }
    }
}

/// Ends the calling thread, never to come back.
fn stop(state: *mut ThreadState) {
    // SAFETY: the caller's own state; nothing that needs dropping is on its stack.
    unsafe {
        (*state).kind = STOPPED;
        worker::meet(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_formats() {
        let words = [1, (-3i64) as u64, 2, u64::from(1.5f32.to_bits()), 0, 255];
        assert_eq!(formatted("a %d b %.2f c %x %%", &words), "a -3 b 1.5 c ff %");
        assert_eq!(formatted("%d", &[]), "<missing>");
    }
}
