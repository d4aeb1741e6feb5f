//! Failures on demand: tests make the n-th file or socket call of a thread fail. Without the feature
//! `faults` every check is empty and compiles to nothing.

use std::io;

/// A call that can be made to fail; `call` says which for errors.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub fn point(_call: &'static str) -> io::Result<()> {
    Ok(())
}

#[cfg(feature = "faults")]
pub use armed::{Armed, Plan, point};

#[cfg(feature = "faults")]
mod armed {
    use super::io;
    use std::{cell::RefCell, marker::PhantomData};

    /// Which calls of this thread fail.
    #[derive(Clone, Copy, Debug)]
    pub struct Plan {
        /// The first call that fails, from 1.
        pub at: u64,
        /// Whether all calls after it fail too, as on a disk that is gone.
        pub lasting: bool,
        /// How it fails.
        pub kind: io::ErrorKind,
    }

    struct State {
        plan: Plan,
        calls: u64,
        failed: Option<&'static str>,
    }

    thread_local! {
        static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
    }

    /// While this lives, the plan is in force on the thread that made it.
    #[derive(Debug)]
    pub struct Armed(PhantomData<*const ()>);

    impl Plan {
        /// Puts the plan in force.
        pub fn arm(self) -> Armed {
            STATE.set(Some(State { plan: self, calls: 0, failed: None }));
            Armed(PhantomData)
        }
    }

    impl Armed {
        /// The call that failed first, if any has.
        pub fn failed(&self) -> Option<&'static str> {
            STATE.with_borrow(|state| state.as_ref().and_then(|state| state.failed))
        }
    }

    impl Drop for Armed {
        fn drop(&mut self) {
            STATE.set(None);
        }
    }

    /// A call that can be made to fail; `call` says which for errors.
    pub fn point(call: &'static str) -> io::Result<()> {
        STATE.with_borrow_mut(|state| {
            let Some(state) = state else { return Ok(()) };
            state.calls += 1;
            let Plan { at, lasting, kind } = state.plan;
            if state.calls == at || lasting && state.calls > at {
                state.failed.get_or_insert(call);
                return Err(io::Error::new(kind, format!("injected fault in {call}")));
            }
            Ok(())
        })
    }
}
