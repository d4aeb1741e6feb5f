//! Wine, with a Windows of its own in the target folder: no desktop, no questions, nothing of the user's.

use crate::shell::{self, command, root, succeeds, target_dir};
use anyhow::{Context, Result};
use std::{ffi::OsStr, fs, path::PathBuf, process::Command};

/// Where Debian's package of Wine alone has it, without those for desktops, and what others call it.
const PROGRAMS: [&str; 3] = ["/usr/lib/wine/wine64", "wine64", "wine"];

/// Its server, in the same places.
const SERVERS: [&str; 2] = ["/usr/lib/wine/wineserver", "wineserver"];

/// A Wine that is ready. Its server runs until this is dropped: by itself it ends with its last program,
/// and a program that starts just then loses its connection.
pub(super) struct Wine {
    program: &'static str,
    server: &'static str,
    prefix: PathBuf,
}

impl Wine {
    /// What starts it, if it is here.
    pub(super) fn find() -> Option<&'static str> {
        PROGRAMS.into_iter().find(|program| succeeds(&mut command(*program, ["--version"])))
    }

    /// Makes its Windows, if there is none yet. `gcc` builds for it.
    pub(super) fn set_up(gcc: &str) -> Result<Wine> {
        let program = Wine::find().context("Wine is installed, and cannot be started")?;
        let has_version = |program: &&str| succeeds(&mut command(*program, ["--version"]));
        let server = SERVERS.into_iter().find(has_version).context("Wine has no server")?;
        let wine = Wine { program, server, prefix: target_dir().join("wine") };
        let libraries = wine.prefix.join("drive_c/windows/system32");
        if !libraries.join("kernel32.dll").exists() {
            fs::create_dir_all(&wine.prefix)?;
            let mut boot = command(program, ["wineboot", "--init"]);
            shell::run(boot.envs(wine.settings()))?;
        }
        let random = libraries.join("bcryptprimitives.dll");
        if !random.exists() {
            let source = root().join("xtask/src/windows/bcryptprimitives.c");
            let mut build = command(gcc, ["-Wall", "-O1", "-s", "-shared", "-o"]);
            shell::run(build.arg(&random).arg(source).arg("-ladvapi32"))?;
        }
        wine.end_server();
        shell::run(command(server, ["--persistent"]).envs(wine.settings()))?;
        // The first program starts services, which keep its output open: it must not be a test's.
        let _ = succeeds(command(program, ["cmd", "/c", "exit"]).envs(wine.settings()));
        Ok(wine)
    }

    /// Ends the server, and with it all programs that it has.
    fn end_server(&self) {
        // It fails if there is none.
        let _ = succeeds(command(self.server, ["--kill"]).envs(self.settings()));
    }

    /// Lets cargo run what it builds for `target` with it.
    pub(super) fn run_tests_of(&self, cargo: &mut Command, target: &str) {
        let target = target.replace('-', "_").to_uppercase();
        cargo.env(format!("CARGO_TARGET_{target}_RUNNER"), self.program);
        cargo.envs(self.settings());
    }

    fn settings(&self) -> [(&'static str, &OsStr); 3] {
        // No offers to install .NET and a browser, and nothing in the user's menus.
        let overrides = "mscoree=;mshtml=;winemenubuilder.exe=";
        [
            ("WINEPREFIX", self.prefix.as_os_str()),
            ("WINEDEBUG", OsStr::new("-all")),
            ("WINEDLLOVERRIDES", OsStr::new(overrides)),
        ]
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        self.end_server();
    }
}
