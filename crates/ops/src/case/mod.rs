//! Conformance cases: an op with operands that can be created on any device, and the tolerance of its
//! results.

mod fixture;
mod tolerance;
mod variation;
mod wgsl;

pub use fixture::Fixture;
pub use tolerance::{Distance, Tolerance, TooFar};
pub use variation::{Substitution, Variation};
pub use wgsl::Wgsl;

use bessemer_core::{Device, Operation, Result};
use std::{fmt, sync::Arc};

/// An op on operands that can be made on any device.
pub struct Case {
    /// The op's name.
    pub op: &'static str,
    /// What is special about it: dtypes, shapes, layout.
    pub name: String,
    /// How near to the reference the results must be.
    pub tolerance: Tolerance,
    /// What WGSL leaves open that would show in it, and that WebGPU devices are not held to.
    pub wgsl: Option<Wgsl>,
    /// Whether it is one of the few that a device must pass before `auto` takes it.
    pub quick: bool,
    make: Box<Make>,
}

type Make = dyn Fn(&mut Fixture<'_>) -> Result<Arc<dyn Operation>> + Send + Sync;

impl Case {
    /// A case of `op`; `make` builds it on the device of the fixture it is given.
    ///
    /// The fixture gives the same numbers each time, so a case must ask it for the same operands
    /// in the same order on every device.
    pub fn new<O: Operation + 'static>(
        op: &'static str,
        name: impl Into<String>,
        tolerance: Tolerance,
        make: impl Fn(&mut Fixture<'_>) -> Result<O> + Send + Sync + 'static,
    ) -> Case {
        let make = move |f: &mut Fixture<'_>| Ok(Arc::new(make(f)?) as Arc<dyn Operation>);
        Case { op, name: name.into(), tolerance, wgsl: None, quick: false, make: Box::new(make) }
    }

    /// The same case, as one of the quick ones.
    pub fn quick(mut self) -> Case {
        self.quick = true;
        self
    }

    /// The same case, where WGSL leaves something open.
    pub fn wgsl(mut self, open: Wgsl) -> Case {
        self.wgsl = Some(open);
        self
    }

    /// The op with its operands on `device`.
    pub fn make(&self, device: &dyn Device) -> Result<Arc<dyn Operation>> {
        self.make_varied(device, &Variation::default())
    }

    /// The same with its operands varied. Not every variation fits every case: those that do not
    /// are errors here or in the op's `check`.
    pub fn make_varied(
        &self,
        device: &dyn Device,
        variation: &Variation,
    ) -> Result<Arc<dyn Operation>> {
        (self.make)(&mut Fixture::new(device, variation.clone()))
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.op, self.name)
    }
}
