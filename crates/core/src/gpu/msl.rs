//! The source of a kernel as passed to Metal's compiler.

use super::Kernel;
use std::fmt::Write as _;

impl Kernel {
    /// Its MSL in full: the headers of Metal, then the names it is compiled with, then its own text.
    ///
    /// Names such as `A` or `OUT` must not be in force while Metal's headers are read, which use them
    /// for their own. So they are no macros of the compiler's options, and no header comes after them.
    /// Lines of errors are those of the file.
    ///
    /// ```
    /// use bessemer_core::gpu::{Kernel, Source};
    ///
    /// let text = "// Adds.\n#include <metal_stdlib>\nkernel void add(device A *a) {}\n";
    /// let kernel = Kernel::new(Source::File { name: "add.metal", text }, "add").define("A", "float");
    /// let msl = "#include <metal_stdlib>\n#define A float\n#line 1 \"add.metal\"\n\
    ///            // Adds.\n\nkernel void add(device A *a) {}\n";
    /// assert_eq!(kernel.msl(), msl);
    /// ```
    pub fn msl(&self) -> String {
        let text = self.source.text();
        let mut msl = String::with_capacity(text.len() + 512);
        let mut headers: Vec<&str> = Vec::new();
        for header in text.lines().filter_map(header) {
            if !headers.contains(&header) {
                headers.push(header);
                msl.push_str(header);
                msl.push('\n');
            }
        }
        for (name, value) in &self.defines {
            // Writing to a string cannot fail.
            let _ = writeln!(msl, "#define {name} {value}");
        }
        // Programs are called as people like.
        let odd = |c: char| c.is_control() || matches!(c, '"' | '\\');
        let _ = writeln!(msl, "#line 1 \"{}\"", self.source.name().replace(odd, "_"));
        for line in text.lines() {
            // An empty line in its place keeps the numbers of those that follow.
            msl.push_str(if header(line).is_some() { "" } else { line });
            msl.push('\n');
        }
        msl
    }
}

/// A line that includes a header of Metal's.
fn header(line: &str) -> Option<&str> {
    let line = line.trim();
    let name = line.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    name.starts_with('<').then_some(line)
}

#[cfg(test)]
mod tests {
    use crate::gpu::{Kernel, Source};

    #[test]
    fn headers_come_first_and_once() {
        let text = "#define SELF 1\n # include <metal_stdlib>\nA a;\n#include <metal_stdlib>\n\
                    #include <metal_simdgroup_matrix>\nB b;";
        let kernel = Kernel::new(Source::File { name: "two.metal", text }, "two");
        let msl = kernel.define("A", "int").define("B", "A").msl();
        let last = msl.rfind("#include").unwrap();
        assert!(msl.find("#define").unwrap() > last, "{msl}");
        assert!(msl.contains("#include <metal_simdgroup_matrix>\n#define A int\n#define B A\n"));
        let body = msl.split("#line 1 \"two.metal\"\n").nth(1).unwrap();
        assert_eq!(
            body.lines().collect::<Vec<_>>(),
            ["#define SELF 1", "", "A a;", "", "", "B b;"]
        );
    }
}
