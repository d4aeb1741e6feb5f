//! A connection that is watched: a thread of its own reads from it, so that a server that sends nothing
//! is noticed and left.

use super::{
    Patience,
    http::{Client, Head, network},
};
use crate::Result;
use bessemer_files::faults::point;
use std::{
    io::{self, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::Duration,
};

/// The bytes that come at a time, and how many such pieces wait to be written.
const PIECE: usize = 1 << 16;
const WAITING: usize = 16;

enum Event {
    Head(Head),
    Bytes(Vec<u8>),
}

/// A request under way. Dropped, it is given up.
pub(super) struct Connection {
    url: String,
    events: Receiver<Result<Event>>,
    patience: Patience,
}

impl Connection {
    /// Asks for a file from byte `start` on, and waits for what the server says of it. `idle` hears for
    /// how long nothing has come.
    pub(super) fn open(
        client: &Client,
        url: &str,
        start: u64,
        patience: &Patience,
        idle: &mut dyn FnMut(Duration),
    ) -> Result<(Connection, Head)> {
        point("connect").map_err(|e| network(url, e.to_string()))?;
        let (sender, events) = sync_channel(WAITING);
        let (client, asked) = (client.clone(), url.to_owned());
        thread::Builder::new()
            .name("download".to_owned())
            .spawn(move || read(&client, &asked, start, &sender))
            .map_err(|e| network(url, e.to_string()))?;
        let connection = Connection { url: url.to_owned(), events, patience: *patience };
        match connection.event(idle)? {
            Some(Event::Head(head)) => Ok((connection, head)),
            _ => Err(network(url, "the connection was closed".to_owned())),
        }
    }

    /// The next bytes; `None` at the end.
    pub(super) fn next(&self, idle: &mut dyn FnMut(Duration)) -> Result<Option<Vec<u8>>> {
        point("receive").map_err(|e| network(&self.url, e.to_string()))?;
        match self.event(idle)? {
            Some(Event::Bytes(bytes)) => Ok(Some(bytes)),
            _ => Ok(None),
        }
    }

    fn event(&self, idle: &mut dyn FnMut(Duration)) -> Result<Option<Event>> {
        let Patience { tell, reconnect, .. } = self.patience;
        let mut waited = Duration::ZERO;
        loop {
            let step = tell.min(reconnect.saturating_sub(waited));
            match self.events.recv_timeout(step) {
                Ok(event) => return event.map(Some),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => waited += step,
            }
            if waited >= reconnect {
                let seconds = reconnect.as_secs_f64();
                return Err(network(&self.url, format!("no data came for {seconds} s")));
            }
            idle(waited);
        }
    }
}

/// Reads all of an answer and hands it on, until nobody wants it any more.
fn read(client: &Client, url: &str, start: u64, events: &SyncSender<Result<Event>>) {
    let mut body = match client.get(url, start) {
        Ok((head, body)) => match events.send(Ok(Event::Head(head))) {
            Ok(()) => body,
            Err(_) => return,
        },
        // Nobody may be left to tell, here and below.
        Err(error) => return drop(events.send(Err(error))),
    };
    let mut buffer = vec![0; PIECE];
    loop {
        let event = match body.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(Event::Bytes(buffer[..count].to_vec())),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                Err(network(url, "the connection was closed".to_owned()))
            }
            Err(e) => Err(network(url, e.to_string())),
        };
        let is_last = event.is_err();
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}
