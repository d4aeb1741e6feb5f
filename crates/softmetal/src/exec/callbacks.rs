//! What kernels call: meeting points, `os_log`, and in checked mode every access that its site has
//! not settled.

use super::abi::*;
use super::{trap, worker};
use crate::check::Kind;

pub(super) static RUNTIME: Runtime =
    Runtime { meet: worker::meet, log, access, misaligned, stray, undefined };

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

/// An access beside the arrays of the calling thread.
unsafe extern "C" fn stray(address: usize, size: usize, kind: u32, pc: usize) {
    let here = 0u8;
    let state = state_of(&raw const here as usize);
    // SAFETY: as in `access`.
    let found = unsafe {
        let host = &*(*(*state).call).host;
        host.checker.map(|local| {
            trap::in_host(|| (*local).stray(address, size, kind, pc, &*state));
        })
    };
    if found.is_some() {
        stop(state);
    }
}

/// Which of clang's checks found something, as check.h numbers them.
const INDEX: u32 = 0;

/// An index beyond an array, or a conversion to an integer that cannot be.
unsafe extern "C" fn undefined(
    what: u32,
    value: u64,
    of: *const TypeName,
    to: *const TypeName,
    pc: usize,
) {
    let here = 0u8;
    let state = state_of(&raw const here as usize);
    // SAFETY: as in `access`; the types are clang's own, in the module.
    unsafe {
        let host = &*(*(*state).call).host;
        let Some(local) = host.checker else {
            return;
        };
        trap::in_host(|| {
            let name = |t: *const TypeName| {
                let text = std::ffi::CStr::from_ptr((&raw const (*t).name).cast());
                plain_type(&text.to_string_lossy())
            };
            let (kind, text) = match what {
                INDEX => {
                    let signed = (*to).info & 1 == 1;
                    let index = if signed { (value as i64).to_string() } else { value.to_string() };
                    (Kind::OutOfBounds, format!("index {index} of {}", name(of)))
                }
                _ => {
                    let number = match (*of).info {
                        16 => half(value as u16),
                        32 => f64::from(f32::from_bits(value as u32)),
                        _ => f64::from_bits(value),
                    };
                    (Kind::Conversion, format!("{number} as {}", name(to)))
                }
            };
            (*local).undefined(kind, text, pc, &*state);
        });
    }
    // What is beyond an array is not looked at twice; a number can be anything.
    if what == INDEX {
        stop(state);
    }
}

/// A type in the user's words: without our names, and its meaning where it has another name.
fn plain_type(text: &str) -> String {
    let meaning = text.split_once("(aka '").map_or(text, |(_, rest)| rest.trim_end_matches(')'));
    let ours = ["__private ", "__generic ", "__global_host ", "__global_device "];
    let plain = ours.iter().fold(meaning.trim_matches('\'').to_string(), |t, s| t.replace(s, ""));
    let names = [("__local ", "threadgroup "), ("metal::", ""), ("unsigned int", "uint")]
        .into_iter()
        .chain([
            ("unsigned short", "ushort"),
            ("unsigned char", "uchar"),
            ("unsigned long", "ulong"),
        ]);
    format!("'{}'", names.fold(plain, |t, (from, to)| t.replace(from, to)))
}

/// The value of a half.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        0 => fraction * 2f64.powi(-24),
        e => (1024.0 + fraction) * 2f64.powi(e - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
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
    fn types_in_the_users_words() {
        assert_eq!(plain_type("'__private float[8]'"), "'float[8]'");
        let ours = "'__sm_of<x>' (aka 'const __global_host metal::vec<float, 4>[5]')";
        assert_eq!(plain_type(ours), "'const vec<float, 4>[5]'");
    }

    #[test]
    fn halves() {
        for (bits, value) in [(0x3c00, 1.0), (0xc000, -2.0), (1, 2f64.powi(-24)), (0x7bff, 65504.0)]
        {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan() && half(0xfc00) == f64::NEG_INFINITY);
    }

    #[test]
    fn log_formats() {
        let words = [1, (-3i64) as u64, 2, u64::from(1.5f32.to_bits()), 0, 255];
        assert_eq!(formatted("a %d b %.2f c %x %%", &words), "a -3 b 1.5 c ff %");
        assert_eq!(formatted("%d", &[]), "<missing>");
    }
}
