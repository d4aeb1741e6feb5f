//! `cargo xtask serve-test`: a server with the toy model, and on it the official clients of its APIs, the
//! page in a real browser, and requests that schemathesis makes up.

use crate::{
    install,
    shell::{self, command, root, succeeds, target_dir},
    steps::Steps,
};
use anyhow::{Context, Result, bail};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Stdio},
};

/// How much to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The requests that schemathesis makes up for each path.
    pub(crate) cases: usize,
}

/// What the clients need, and what they do.
const CLIENTS: &str = "crates/server/clients";

/// Requests for each path in the long run.
pub(crate) const MANY: usize = 600;
/// Requests for each path in `cargo xtask test`.
pub(crate) const FEW: usize = 15;

/// The server's tests alone.
pub(crate) fn run(options: Options) -> Result<()> {
    let mut all = Steps::default();
    steps(&mut all, options)?;
    eprintln!("\n{all}");
    Ok(())
}

/// Adds the steps of the server to others.
pub(crate) fn steps(steps: &mut Steps, options: Options) -> Result<()> {
    let folder = folder();
    let python = folder.join("venv/bin/python");
    steps.run("server: tools", || {
        fs::create_dir_all(&folder)?;
        install::chromium()?;
        if !succeeds(&mut command(&python, ["-m", "pip", "--version"])) {
            shell::run(command("python3", ["-m", "venv", "--clear"]).arg(folder.join("venv")))?;
        }
        let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        shell::run(command(&python, quiet).arg(format!("{CLIENTS}/requirements.txt")))?;
        // Node looks for packages beside the script.
        for file in ["package.json", "clients.mjs", "page.mjs"] {
            fs::copy(root().join(CLIENTS).join(file), folder.join(file))?;
        }
        let quiet = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
        shell::run(command("npm", quiet).current_dir(&folder))
    })?;
    steps
        .run("server: build", || shell::run(&mut shell::cargo("build --locked -p bessemer-cli")))?;
    let server = Server::start()?;
    let url = &server.url;
    steps.run("server: Python clients", || {
        shell::run(command(&python, [format!("{CLIENTS}/clients.py")]).arg(url))
    })?;
    let node = |script: &str| {
        let mut node = command("node", [script]);
        node.current_dir(&folder).arg(url);
        node
    };
    steps.run("server: Node client", || shell::run(&mut node("clients.mjs")))?;
    steps.run("server: page", || shell::run(node("page.mjs").arg(folder.join("screenshots"))))?;
    steps.run("server: schemathesis", || {
        let cases = options.cases.to_string();
        let args =
            ["--checks", "not_a_server_error", "--max-examples", &cases, "--phases", "fuzzing"];
        let mut schemathesis = command(folder.join("venv/bin/schemathesis"), ["run"]);
        shell::run(schemathesis.arg(format!("{url}/openapi.json")).args(args).current_dir(&folder))
    })?;
    steps.run("server: end", || server.end())
}

/// Where environments and screenshots are.
fn folder() -> PathBuf {
    let target = target_dir();
    let target = if target.is_absolute() { target } else { root().join(target) };
    target.join("serve-test")
}

/// A server that runs.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start() -> Result<Server> {
        let models = folder().join("models");
        fs::create_dir_all(&models)?;
        let args = ["serve", "--port", "0", "--only", "--parallel", "8", "--context", "4096"];
        let mut serve = command(target_dir().join("debug/bessemer"), args);
        serve.env("BESSEMER_MODELS", models).env("NO_COLOR", "1").stderr(Stdio::piped());
        shell::show(&serve);
        let mut child = serve.spawn().with_context(|| shell::cannot_start(&serve))?;
        let stderr = child.stderr.take().context("no stderr")?;
        let mut lines = BufReader::new(stderr).lines();
        let mut said = String::new();
        let url = loop {
            let Some(line) = lines.next().transpose()? else {
                bail!("`{}` ended: {said}", shell::line(&serve));
            };
            if let Some((_, url)) = line.split_once(" is served at ") {
                break url.trim().to_owned();
            }
            said += &line;
        };
        // What it says from now on is shown.
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| eprintln!("{line}"))
        });
        Ok(Server { child, url })
    }

    /// Asks it to end as Kubernetes does, and sees that it does so well.
    fn end(mut self) -> Result<()> {
        let pid = self.child.id().to_string();
        shell::run(&mut command("kill", ["-TERM", &pid]))?;
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the server ended with {status}");
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already, unless a step has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
