//! What became of each kernel that was compiled: a table of files and functions, and all variants.

use bessemer::core::gpu::{CompiledKernel, KernelLimits};
use std::{collections::BTreeMap, fmt::Write};

/// Lines of a message of the compiler that are shown.
const LINES: usize = 12;

/// All variants of one function.
#[derive(Default)]
struct Group<'k> {
    variants: usize,
    failed: Vec<&'k CompiledKernel>,
    limits: Vec<KernelLimits>,
}

/// The section of the report.
pub(super) fn section(kernels: &[CompiledKernel]) -> String {
    let mut text = String::from("## Kernels\n\n");
    if kernels.is_empty() {
        text.push_str("This device has compiled no kernels.\n");
        return text;
    }
    let mut groups: BTreeMap<(&str, &str), Group<'_>> = BTreeMap::new();
    for kernel in kernels {
        let group = groups.entry((&kernel.file, &kernel.entry)).or_default();
        group.variants += 1;
        match &kernel.outcome {
            Ok(limits) => group.limits.push(*limits),
            Err(_) => group.failed.push(kernel),
        }
    }
    let failed: usize = groups.values().map(|group| group.failed.len()).sum();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} requested; {failed} failed to compile.\n", kernels.len());
    text.push_str(
        "| file | function | variants | failed | maxTotalThreadsPerThreadgroup | \
         threadExecutionWidth | staticThreadgroupMemoryLength |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for ((file, entry), group) in &groups {
        let span = |of: fn(&KernelLimits) -> u32| {
            let values = group.limits.iter().map(of);
            match (values.clone().min(), values.max()) {
                (Some(least), Some(most)) if least == most => least.to_string(),
                (Some(least), Some(most)) => format!("{least} to {most}"),
                _ => String::new(),
            }
        };
        let _ = writeln!(
            text,
            "| {file} | {entry} | {} | {} | {} | {} | {} |",
            group.variants,
            group.failed.len(),
            span(|limits| limits.max_threads),
            span(|limits| limits.simd_width),
            span(|limits| limits.threadgroup_bytes),
        );
    }
    for kernel in groups.values().flat_map(|group| &group.failed) {
        let CompiledKernel { file, entry, variant, outcome } = kernel;
        let why = outcome.as_ref().err().map_or("", String::as_str);
        let why: Vec<&str> = why.lines().take(LINES).collect();
        let _ = writeln!(text, "\n`{file}` `{entry}` `{variant}`:\n\n```\n{}\n```", why.join("\n"));
    }
    text.push_str("\n<details><summary>All variants</summary>\n\n```\n");
    for CompiledKernel { file, entry, variant, outcome } in kernels {
        let _ = match outcome {
            Ok(KernelLimits { max_threads, simd_width, threadgroup_bytes }) => writeln!(
                text,
                "{file} {entry} {variant}: {max_threads} threads, {simd_width} wide, \
                 {threadgroup_bytes} bytes"
            ),
            Err(_) => writeln!(text, "{file} {entry} {variant}: failed"),
        };
    }
    text.push_str("```\n\n</details>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(variant: &str, outcome: Result<KernelLimits, String>) -> CompiledKernel {
        let (file, entry) = ("linear/few.metal".into(), "few".into());
        CompiledKernel { file, entry, variant: variant.into(), outcome }
    }

    #[test]
    fn variants_are_summed_up_and_failures_are_told() {
        let limits =
            |max_threads| KernelLimits { max_threads, simd_width: 32, threadgroup_bytes: 0 };
        let message = format!("program_source:3: error: no\n{}", "more\n".repeat(40));
        let text = section(&[
            kernel("W=half", Ok(limits(1024))),
            kernel("W=float", Ok(limits(640))),
            kernel("W=bad", Err(message)),
        ]);
        assert!(text.contains("3 requested; 1 failed to compile."), "{text}");
        assert!(
            text.contains("| linear/few.metal | few | 3 | 1 | 640 to 1024 | 32 | 0 |"),
            "{text}"
        );
        assert!(text.contains("`W=bad`:\n\n```\nprogram_source:3: error: no\n"), "{text}");
        assert_eq!(text.matches("more").count(), LINES - 1);
        assert!(text.contains("few W=half: 1024 threads, 32 wide, 0 bytes"), "{text}");
        assert!(section(&[]).contains("compiled no kernels"));
    }
}
