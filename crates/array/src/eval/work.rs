//! An estimate of how long an evaluation takes, for callers that want to do something else meanwhile.

use crate::{Array, node::Kind};
use smallvec::{SmallVec, smallvec};

/// Elements that are gone through in some ten milliseconds.
const MANY: usize = 1 << 25;
/// Steps that take longer together than looking at them.
const STEPS: usize = 256;
/// An element of a product or of a factorisation takes as long as this many elements of a map.
const HEAVY: usize = 32;

impl Array {
    /// Whether evaluating it may take more than a few milliseconds: an estimate from the sizes of what is still
    /// to be computed. Nothing is evaluated.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let x = Array::ones(&device, &[100], DType::F32);
    /// assert!(!(&x + 1).sum_all().is_long());
    /// assert!((Array::ones(&device, &[1 << 30], DType::F32) + 1).is_long());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_long(&self) -> bool {
        let mut left: SmallVec<[Array; 8]> = smallvec![self.clone()];
        let (mut elements, mut steps) = (0usize, 0);
        while let Some(array) = left.pop() {
            let expr = array.node.expr();
            let Some(expr) = expr.as_ref().filter(|_| !array.is_evaluated()) else {
                continue;
            };
            let per_element = match expr.kind {
                Kind::Fill(_) | Kind::Remap(_) | Kind::Reshape => 0,
                Kind::Map(_) | Kind::Reduce(_) => 1,
                Kind::Call(_) | Kind::Host(_) => HEAVY,
            };
            let inputs = expr.inputs.iter().map(Array::elements).fold(0, usize::saturating_add);
            let own = array.elements().saturating_add(inputs).saturating_mul(per_element);
            elements = elements.saturating_add(own);
            steps += 1;
            if elements > MANY || steps > STEPS {
                return true;
            }
            left.extend(expr.inputs.iter().filter(|input| !input.is_evaluated()).cloned());
        }
        false
    }
}
