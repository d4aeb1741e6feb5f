//! Advice for failed command buffers; systems report failures in the driver's terms.

/// What Metal says of a failed command buffer, and what to do about it. `code` is a
/// `MTLCommandBufferError`.
pub(crate) fn explained(text: &str, code: isize) -> String {
    match remedy(text, code) {
        Some(remedy) => format!("{}: {remedy}", text.trim_end_matches('.')),
        None => text.to_owned(),
    }
}

const REPORT: &str =
    "`bessemer check --device metal --report FILE` shows which kernels are at fault";

fn remedy(text: &str, code: isize) -> Option<String> {
    // The driver's own word comes first: several of them share a code.
    let driver = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let told =
        if driver(&["SubmissionsIgnored"]) {
            ignored()
        } else if driver(&["InnocentVictim"]) {
            "the GPU was reset because of another program or an earlier error; try again".to_owned()
        } else if driver(&["ImpactingInteractivity", "ErrorTimeout", "ErrorHang"]) {
            too_long()
        } else if driver(&["ErrorOutOfMemory"]) {
            no_memory()
        } else if driver(&["BackgroundExecutionNotPermitted"]) {
            in_background()
        } else if driver(&["ErrorPageFault"]) {
            page_fault()
        } else {
            match code {
                1 => "an error inside the driver; try again, and restart the computer if it stays"
                    .into(),
                2 => too_long(),
                3 => page_fault(),
                4 => ignored(),
                7 => in_background(),
                8 => no_memory(),
                9 => format!(
                    "memory was gone while it was in use, which is a fault of bessemer; {REPORT}"
                ),
                11 => "the GPU was taken away; connect it again or choose another with `--device`"
                    .into(),
                12 => format!("a kernel ran out of stack, which is a fault of bessemer; {REPORT}"),
                _ => return None,
            }
        };
    Some(told)
}

fn ignored() -> String {
    let why = "the system takes no more work from this process after earlier errors of the GPU";
    format!("{why}; start it again, and if that does not help, {REPORT}")
}

fn too_long() -> String {
    let why = "the GPU took too long, perhaps because other programs use it too";
    format!(
        "{why}; close those, take a shorter prompt or a smaller model, and if it stays, {REPORT}"
    )
}

fn no_memory() -> String {
    let why = "the GPU has no memory left";
    format!("{why}; close other programs, take a shorter context (`--context`) or a smaller model")
}

fn in_background() -> String {
    "the system lets no program in the background use the GPU; bring it to the front".to_owned()
}

fn page_fault() -> String {
    let why = "a kernel reached beyond its memory, or a model file was changed while in use";
    format!("{why}; start it again, with BESSEMER_LABELS=1 to learn the kernel; {REPORT}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_systems_say_comes_with_what_to_do() {
        let said = [
            (
                "Ignored (for causing prior/excessive GPU errors) \
                 (00000004:kIOGPUCommandBufferCallbackErrorSubmissionsIgnored)",
                4,
                "start it again",
            ),
            (
                "Impacting Interactivity \
                 (0000000e:kIOGPUCommandBufferCallbackErrorImpactingInteractivity)",
                1,
                "shorter prompt",
            ),
            (
                "Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)",
                2,
                "shorter prompt",
            ),
            (
                "Caused GPU Hang Error (00000003:kIOGPUCommandBufferCallbackErrorHang)",
                3,
                "shorter prompt",
            ),
            (
                "Discarded (victim of GPU error/recovery) \
                 (00000005:kIOGPUCommandBufferCallbackErrorInnocentVictim)",
                1,
                "try again",
            ),
            (
                "Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
                8,
                "--context",
            ),
            (
                "Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)",
                3,
                "BESSEMER_LABELS=1",
            ),
            (
                "Insufficient Permission (to submit GPU work from background) (00000006:\
                 kIOGPUCommandBufferCallbackErrorBackgroundExecutionNotPermitted)",
                7,
                "to the front",
            ),
        ];
        for (text, code, wanted) in said {
            let told = explained(text, code);
            assert!(told.starts_with(text) && told.contains(wanted), "{told}");
        }
    }

    #[test]
    fn a_code_alone_is_enough() {
        for code in [1, 2, 3, 4, 7, 8, 9, 11, 12] {
            let told = explained("It failed.", code);
            assert!(told.starts_with("It failed: "), "{code}: {told}");
        }
        // Timeouts come with the same advice, whoever tells them.
        assert_eq!(remedy("", 2), remedy("kIOGPUCommandBufferCallbackErrorTimeout", 0));
        assert_eq!(explained("Something new.", 99), "Something new.");
    }
}
