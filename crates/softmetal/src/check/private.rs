//! Which of a thread's own variables an access was meant for. The address sanitizer puts a header
//! below the variables of a function: a number that tells it, and a text that lists them.

use crate::compile::Module;
use crate::exec::abi::{STACK, ThreadState};
use std::ffi::CStr;

/// What a header begins with.
const HEADER: usize = 0x41b5_8ab3;

/// The name of the variable nearest to an address in a thread's stack, the offset in it, and its
/// size if it is known.
pub(super) fn variable(
    address: usize,
    state: &ThreadState,
    module: &Module,
) -> (String, i64, Option<usize>) {
    let unknown = ("a thread's own array".to_string(), 0, None);
    let bottom = state as *const ThreadState as usize & !(STACK - 1);
    let word = |at: usize| {
        // SAFETY: within the stack of the thread that called, which is mapped from its stack
        // pointer up; headers are looked for from the accessed address down, and the search ends
        // at what the thread uses.
        unsafe { std::ptr::read(at as *const usize) }
    };
    let here = 0u8;
    let used = (&raw const here as usize).max(bottom);
    let mut at = address & !31;
    while at > used {
        let text = word(at + 8);
        if word(at) == HEADER && module.image.contains(&text) {
            // SAFETY: the compiler put the address of a string in the module there.
            let text = unsafe { CStr::from_ptr(text as *const std::ffi::c_char) };
            return nearest(&text.to_string_lossy(), address - at).unwrap_or(unknown);
        }
        at -= 32;
    }
    unknown
}

/// Reads `2 32 16 6 values 64 4 1 x`: how many, then offset, size, length of the name, name.
fn nearest(list: &str, offset: usize) -> Option<(String, i64, Option<usize>)> {
    let mut rest = list.split(' ');
    let count: usize = rest.next()?.parse().ok()?;
    let mut best: Option<(usize, usize, usize, String)> = None;
    for _ in 0..count {
        let (start, size): (usize, usize) =
            (rest.next()?.parse().ok()?, rest.next()?.parse().ok()?);
        rest.next()?;
        // Names end with the line they are declared on.
        let name = rest.next()?.split(':').next()?.to_string();
        let far = start.saturating_sub(offset).max((offset + 1).saturating_sub(start + size));
        if best.as_ref().is_none_or(|b| far < b.0) {
            best = Some((far, start, size, name));
        }
    }
    let (_, start, size, name) = best?;
    Some((format!("thread array '{name}'"), offset as i64 - start as i64, Some(size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_variable_is_named() {
        let list = "2 32 16 8 first:12 64 40 6 second";
        assert_eq!(nearest(list, 48), Some(("thread array 'first'".into(), 16, Some(16))));
        assert_eq!(nearest(list, 60), Some(("thread array 'second'".into(), -4, Some(40))));
        assert_eq!(nearest("nonsense", 60), None);
    }
}
