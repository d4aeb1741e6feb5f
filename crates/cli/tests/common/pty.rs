//! The command on a pseudo-terminal, as a person has it.
#![allow(dead_code, unreachable_pub)]

use nix::pty::{Winsize, openpty};
use std::{
    fs::File,
    io::{Read, Write},
    process::{Child, Command},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A command that runs on a terminal of its own.
pub struct Pty {
    pub child: Child,
    keyboard: File,
    screen: Arc<(Mutex<Vec<u8>>, Condvar)>,
    reader: Option<JoinHandle<()>>,
}

impl Pty {
    /// Starts a command on a terminal with so many columns.
    pub fn start(mut command: Command, columns: u16) -> Pty {
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let slave = || File::from(pty.slave.try_clone().unwrap());
        command.env("TERM", "xterm").stdin(slave()).stdout(slave()).stderr(slave());
        let child = command.spawn().unwrap();
        // The only handles left are the child's: its end is the end of the terminal.
        drop((command, pty.slave));
        let keyboard = File::from(pty.master);
        let mut output = keyboard.try_clone().unwrap();
        let screen = Arc::<(Mutex<Vec<u8>>, Condvar)>::default();
        let seen = Arc::clone(&screen);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A terminal whose programs are gone gives an error.
            while let Ok(count) = output.read(&mut bytes).map_err(drop)
                && count > 0
            {
                seen.0.lock().unwrap().extend_from_slice(&bytes[..count]);
                seen.1.notify_all();
            }
        });
        Pty { child, keyboard, screen, reader: Some(reader) }
    }

    pub fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen has had `words` on it, so many times.
    pub fn wait_for(&self, words: &str, times: usize) {
        let (screen, changed) = (&self.screen.0, &self.screen.1);
        let start = Instant::now();
        let mut seen = screen.lock().unwrap();
        while String::from_utf8_lossy(&seen).matches(words).count() < times {
            let text = String::from_utf8_lossy(&seen).into_owned();
            assert!(start.elapsed() < PATIENCE, "no {words:?} in {text:?}");
            let waited = changed.wait_timeout(seen, Duration::from_secs(1));
            seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// All that was on the screen, and the exit code, once the command has ended.
    pub fn finish(mut self) -> (String, Option<i32>) {
        let code = self.child.wait().unwrap().code();
        self.reader.take().unwrap().join().unwrap();
        let seen = self.screen.0.lock().unwrap();
        (String::from_utf8_lossy(&seen).into_owned(), code)
    }
}

/// What a command shows on a terminal, with lines as programs end them.
pub fn on_terminal(command: Command, code: i32) -> String {
    let (text, found) = Pty::start(command, 100).finish();
    assert_eq!(found, Some(code), "{text}");
    text.replace("\r\n", "\n")
}
