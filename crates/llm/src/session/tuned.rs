//! Initial states of recurrences, as state tuning trains them.

use super::Session;
use crate::{
    Error, Result,
    files::{Tensor, Tensors},
    model::LayerKind,
};

impl Session {
    /// Makes texts of this session begin with a trained state instead of an empty one, as if a prompt
    /// had been read before them. The text so far is forgotten.
    ///
    /// `states` has a tensor `blocks.N.att.time_state` for each layer, `[heads, values, keys]` of floats,
    /// as state tuning of RWKV 5, 6 and 7 saves it; other tensors are ignored. If one is missing or
    /// does not fit, nothing is changed.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// use bessemer_llm::{Llm, files::Pth};
    ///
    /// let llm = Llm::open("rwkv7.gguf", &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// session.start_from(Pth::open("poet.pth")?.tensors())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start_from(&mut self, states: &Tensors) -> Result<()> {
        let kinds = &self.model.config().kinds;
        let layer = |(number, kind): (usize, &LayerKind)| -> Result<(usize, _, Vec<f32>)> {
            let Some(slot) = kind.mixer.spec().tuned() else {
                let architecture = &self.model.config().architecture;
                let why = format!("models of `{architecture}` have no states to begin with");
                return Err(refuse(why));
            };
            let shape = self.state.layer(number).slot(slot).shape();
            let (heads, size) = (shape[1], shape[2]);
            let name = format!("blocks.{number}.att.time_state");
            let tensor =
                states.get(&name).ok_or_else(|| refuse(format!("there is no tensor `{name}`")))?;
            Ok((number, slot, numbers(states, tensor, heads, size)?))
        };
        let start = kinds.iter().enumerate().map(layer).collect::<Result<Vec<_>>>()?;
        let layers =
            states.iter().filter(|tensor| tensor.name.ends_with(".att.time_state")).count();
        if layers != kinds.len() {
            let why =
                format!("there are states of {layers} layers, but the model has {}", kinds.len());
            return Err(refuse(why));
        }
        self.forget_started();
        self.state.start_from(&start)
    }
}

/// The numbers of one layer, as `[heads, keys, values]`.
fn numbers(states: &Tensors, tensor: &Tensor, heads: usize, size: usize) -> Result<Vec<f32>> {
    let name = &tensor.name;
    if *tensor.shape != [heads, size, size] {
        let (found, wanted) = (tensor.shape, [heads, size, size]);
        return Err(refuse(format!("tensor `{name}` has the shape {found}, not {wanted:?}")));
    }
    let Some(values) = states.floats(tensor) else {
        return Err(refuse(format!("tensor `{name}` is {}, not floats", tensor.dtype)));
    };
    if let Some(at) = values.iter().position(|x| !x.is_finite()) {
        return Err(refuse(format!("tensor `{name}` has {} at element {at}", values[at])));
    }
    let mut turned = vec![0.0; values.len()];
    for (i, value) in values.into_iter().enumerate() {
        let (head, row, key) = (i / (size * size), i / size % size, i % size);
        turned[(head * size + key) * size + row] = value;
    }
    Ok(turned)
}

fn refuse(why: String) -> Error {
    Error::State(format!("start from a trained state: {why}"))
}
