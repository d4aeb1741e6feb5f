//! Compiles pipelines in the background, before they are needed.

use crate::{
    hal::{Device as _, Hal},
    pipelines::Pipelines,
};
use bessemer_core::gpu::Kernel;
use std::{
    num::NonZero,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

/// The threads that make them. Dropped, it waits for the pipelines that are being made, and no more
/// are begun.
#[derive(Default)]
pub(crate) struct Warmup {
    stop: Arc<AtomicBool>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Warmup {
    /// Makes the pipelines of `kernels`, on as many threads as there are cores. What goes wrong is told
    /// to whoever asks for one.
    pub(crate) fn start<H: Hal>(
        &self,
        device: &Arc<H::Device>,
        pipelines: &Arc<Pipelines<H>>,
        kernels: Vec<Kernel>,
    ) {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let count = cores.min(kernels.len());
        let (next, running) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(count)));
        let kernels = Arc::new(kernels);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.retain(|thread| !thread.is_finished());
        for _ in 0..count {
            let (device, pipelines) = (Arc::clone(device), Arc::clone(pipelines));
            let (next, running) = (Arc::clone(&next), Arc::clone(&running));
            let (kernels, stop) = (Arc::clone(&kernels), Arc::clone(&self.stop));
            let work = move || {
                while let Some(kernel) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let _ = H::entry(|| pipelines.get(&device, kernel));
                }
                if running.fetch_sub(1, Ordering::AcqRel) == 1 {
                    H::entry(|| device.keep_pipelines());
                }
            };
            // Without a thread they are made when they are asked for.
            threads.extend(thread::Builder::new().name("bessemer-pipelines".into()).spawn(work));
        }
    }

    /// Waits for all that was started.
    pub(crate) fn wait(&self) {
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A panic of it has been told by the panic hook; no pipeline of it is used.
            let _ = thread.join();
        }
    }
}

impl Drop for Warmup {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wait();
    }
}
