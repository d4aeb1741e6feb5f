//! Errors of the GPU, kept until the next call returns them.

use bessemer_core::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// The first error that nobody was waiting for, and whether the device is lost.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Found>>);

#[derive(Default)]
struct Found {
    lost: Option<String>,
    error: Option<String>,
}

impl Faults {
    /// Hears of all that goes wrong on `device`.
    pub(crate) fn listen(device: &wgpu::Device) -> Faults {
        let faults = Faults::default();
        let heard = faults.clone();
        device.set_device_lost_callback(move |reason, message| {
            let message = if message.is_empty() { format!("{reason:?}") } else { message };
            heard.with(|found| found.lost.get_or_insert(message).len());
        });
        let heard = faults.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            heard.with(|found| found.error.get_or_insert(one_line(&error)).len());
        }));
        faults
    }

    /// The device is lost, and this is why.
    pub(crate) fn lose(&self, why: &str) {
        self.with(|found| found.lost.get_or_insert_with(|| why.to_owned()).len());
    }

    /// Fails if the device is lost, for good, or if something went wrong since the last time.
    pub(crate) fn check(&self, device: &str, op: &'static str) -> Result<()> {
        let why = self.with(|found| match &found.lost {
            Some(lost) => Some(format!("the device is lost ({lost}); open it, or another, again")),
            None => found.error.take(),
        });
        match why {
            Some(why) => Err(Error::Failed { device: device.to_owned(), op, why }),
            None => Ok(()),
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut Found) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs `make` and catches what wgpu has to say against it.
pub(crate) fn caught<T>(device: &wgpu::Device, make: impl FnOnce() -> T) -> Result<T, String> {
    let scopes = [
        wgpu::ErrorFilter::OutOfMemory,
        wgpu::ErrorFilter::Internal,
        wgpu::ErrorFilter::Validation,
    ]
    .map(|filter| device.push_error_scope(filter));
    let made = make();
    let mut why = None;
    for scope in scopes.into_iter().rev() {
        why = pollster::block_on(scope.pop()).map(|error| one_line(&error)).or(why);
    }
    why.map_or(Ok(made), Err)
}

/// All an error says, without the line breaks.
fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let part = error.to_string();
        if !text.contains(&part) {
            let colon = if text.is_empty() { "" } else { ": " };
            text = format!("{text}{colon}{part}");
        }
        next = error.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
