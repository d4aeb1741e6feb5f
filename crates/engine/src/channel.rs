//! A channel whose receiver can block a thread or wake a task, and whose sender sees when the receiver has
//! gone.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

struct Inner<T> {
    state: Mutex<State<T>>,
    arrived: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    waker: Option<Waker>,
    sender_gone: bool,
    receiver_gone: bool,
}

impl<T> Inner<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // What it holds is sound after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end that sends.
pub(crate) struct Sender<T>(Arc<Inner<T>>);

/// The end that receives.
pub(crate) struct Receiver<T>(Arc<Inner<T>>);

/// Both ends.
pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state =
        State { items: VecDeque::new(), waker: None, sender_gone: false, receiver_gone: false };
    let inner = Arc::new(Inner { state: Mutex::new(state), arrived: Condvar::new() });
    (Sender(Arc::clone(&inner)), Receiver(inner))
}

impl<T> Sender<T> {
    /// Sends, unless nobody will receive it.
    pub(crate) fn send(&self, item: T) {
        let mut state = self.0.lock();
        if !state.receiver_gone {
            state.items.push_back(item);
            self.wake(state);
        }
    }

    /// Whether the receiver has gone.
    pub(crate) fn is_unheard(&self) -> bool {
        self.0.lock().receiver_gone
    }

    fn wake(&self, mut state: MutexGuard<'_, State<T>>) {
        let waker = state.waker.take();
        drop(state);
        self.0.arrived.notify_one();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.sender_gone = true;
        self.wake(state);
    }
}

impl<T> Receiver<T> {
    /// The next item; blocks until it is there. `None` when no more come.
    pub(crate) fn receive(&self) -> Option<T> {
        let mut state = self.0.lock();
        loop {
            match state.items.pop_front() {
                None if !state.sender_gone => {
                    state = self.0.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                item => return item,
            }
        }
    }

    /// The next item, if it is there; otherwise the task is woken when it is.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut state = self.0.lock();
        match state.items.pop_front() {
            None if !state.sender_gone => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
            item => Poll::Ready(item),
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.receiver_gone = true;
        // What was not received may have much memory: it is freed here, without the lock.
        let items = std::mem::take(&mut state.items);
        drop(state);
        drop(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_and_then_end() {
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || (0..100).for_each(|i| sender.send(i)));
        let items: Vec<i32> = std::iter::from_fn(|| receiver.receive()).collect();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
        thread.join().unwrap();
    }

    #[test]
    fn a_task_is_woken_and_the_sender_sees_who_has_gone() {
        let (sender, receiver) = channel();
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(receiver.poll(&mut context), Poll::Pending);
        sender.send(1);
        assert_eq!(receiver.poll(&mut context), Poll::Ready(Some(1)));
        assert!(!sender.is_unheard());
        drop(receiver);
        assert!(sender.is_unheard());
        let (sender, receiver) = channel::<i32>();
        drop(sender);
        assert_eq!(receiver.poll(&mut context), Poll::Ready(None));
    }
}
