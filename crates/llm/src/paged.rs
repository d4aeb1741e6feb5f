//! Passes of rows of many texts, whose keys and values are in pages of one cache. Which pages are whose,
//! and which rows come next, is up to the caller: `bessemer-engine`.

use crate::{
    Error, Result,
    model::{Ask, Config, Model, PageSpace, Workspace, room},
    state::Memory,
};
use bessemer_core::{Batch, DType, Element, View};
use std::sync::Arc;

/// How to open a [`Paged`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagedOptions {
    /// Tokens of a page.
    pub page: usize,
    /// Pages of the cache.
    pub pages: usize,
    /// Texts there is room for at once.
    pub texts: usize,
    /// The longest text.
    pub context: usize,
    /// How keys and values are stored: `F16`, `F32` or `Q8_0`.
    pub cache: DType,
    /// The most rows of a chunk of a prompt.
    pub chunk: usize,
    /// The most rows that are computed each as if alone.
    pub each: usize,
}

/// A model with one KV cache for many texts. Only models without recurrent layers can have one: see
/// [`Paged::supports`].
///
/// ```
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
/// use bessemer_core::DType;
/// use bessemer_llm::paged::{Paged, PagedOptions, Rows};
///
/// let options = PagedOptions {
///     page: 16, pages: 4, texts: 2, context: 64, cache: DType::F16, chunk: 32, each: 4,
/// };
/// let mut paged = Paged::new(llm.model(), options)?;
/// // Text 0 has page 3: its tokens are in the slots from 48 on.
/// paged.set_pages(0, 0, &[3])?;
/// let prompt = Rows { tokens: &[72, 105], positions: &[0, 1], slots: &[48, 49], texts: &[0, 0] };
/// let mut logits = vec![0.0; llm.model().config().vocabulary];
/// paged.prompt(&prompt, Some(&mut logits))?;
/// let next = Rows { tokens: &[33], positions: &[2], slots: &[50], texts: &[0] };
/// paged.each(&next, &mut logits)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Paged {
    model: Arc<Model>,
    options: PagedOptions,
    layers: Vec<Memory>,
    work: Workspace,
    /// Passes of 1, 2, … rows, each as if alone: made when first asked for, and good for all texts.
    each: Vec<Option<Batch>>,
    /// Passes of chunks of 1, 2, … rows, without logits and with those of the last row.
    prompts: Vec<[Option<Batch>; 2]>,
}

/// Rows of a pass: which tokens, where in their texts, where in the cache, and whose. One with a slot that
/// the cache does not have is not kept.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The tokens.
    pub tokens: &'a [u32],
    /// Where in its text each of them is.
    pub positions: &'a [u32],
    /// Where in the cache its keys and values go.
    pub slots: &'a [u32],
    /// Whose it is.
    pub texts: &'a [u32],
}

impl Paged {
    /// Whether all that a model remembers of a text is an entry per token.
    pub fn supports(config: &Config) -> bool {
        let mut slots = config.kinds.iter().flat_map(|kind| kind.memory(config, DType::F32));
        slots.all(|slot| !slot.is_fixed())
    }

    /// How many pages there is room for in a quarter of what the device has free.
    pub fn room(model: &Model, page: usize, cache: DType) -> Result<usize> {
        let bytes = model.config().state_bytes(page, cache)?.max(1);
        Ok(room::free_bytes(&**model.device()) / 4 / bytes)
    }

    /// Takes the memory for the cache and for the passes.
    pub fn new(model: &Arc<Model>, options: PagedOptions) -> Result<Paged> {
        model.check_files_unchanged()?;
        let PagedOptions { page, pages, texts, context, cache, chunk, each } = options;
        let (config, device) = (model.config(), &**model.device());
        let tokens = pages.checked_mul(page).filter(|&all| i32::try_from(all).is_ok());
        let (Some(tokens), true) = (tokens, page.min(pages).min(texts).min(chunk).min(each) > 0)
        else {
            return Err(Error::Session(format!(
                "paged: a cache of {pages} pages of {page} tokens for {texts} texts is empty or too large"
            )));
        };
        let rows = chunk.max(each);
        let logits = config.vocabulary.saturating_mul(each * size_of::<f32>());
        let bytes = config.state_bytes(tokens, cache)?.saturating_add(config.work_bytes(rows));
        room::for_pages(pages, bytes.saturating_add(logits), device)?;
        let layers = config.kinds.iter();
        let layers =
            layers.map(|kind| Memory::shared(device, &kind.memory(config, cache), tokens, context));
        let layers = layers.collect::<Result<Vec<_>>>()?;
        let work = Workspace::with_logits(device, config, rows, each)?;
        let work = work.paged(device, [texts, context.div_ceil(page)], page)?;
        let mut paged = Paged {
            model: Arc::clone(model),
            options,
            layers,
            work,
            each: (0..each).map(|_| None).collect(),
            prompts: (0..chunk).map(|_| [None, None]).collect(),
        };
        if device.info().capabilities.asynchronous {
            // Kernels are compiled while the first prompt is still on its way.
            device.prepare(paged.batch_of_each(1)?);
            device.prepare(paged.batch_of_prompt(chunk, true)?);
        }
        Ok(paged)
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Says which pages a text has, from its page number `first` on.
    pub fn set_pages(&self, text: usize, first: usize, pages: &[u32]) -> Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        let table = self.pages().table.narrow(0, text..text + 1)?;
        let part = table.narrow(1, first..first + pages.len())?;
        Ok(self.model.device().write(&part.slice()?, u32::as_bytes(pages))?)
    }

    /// Takes rows of any texts through the model, each as if it were alone, and gives the logits after
    /// each of them.
    pub fn each(&mut self, rows: &Rows<'_>, logits: &mut [f32]) -> Result<()> {
        let count = self.write(rows, self.options.each)?;
        self.batch_of_each(count)?;
        self.run(&self.each[count - 1])?;
        self.read(count, logits)
    }

    /// Takes a chunk of a prompt through the model. How its rows are summed depends on their number too: it
    /// must be the same whenever bits are to be.
    pub fn prompt(&mut self, rows: &Rows<'_>, logits: Option<&mut [f32]>) -> Result<()> {
        let count = self.write(rows, self.options.chunk)?;
        self.batch_of_prompt(count, logits.is_some())?;
        self.run(&self.prompts[count - 1][usize::from(logits.is_some())])?;
        logits.map_or(Ok(()), |logits| self.read(1, logits))
    }

    fn batch_of_each(&mut self, rows: usize) -> Result<&Batch> {
        let batch = &mut self.each[rows - 1];
        Ok(match batch {
            Some(batch) => batch,
            None => batch.insert(self.model.pass(&self.work, &self.layers, rows, Ask::Each)?),
        })
    }

    fn batch_of_prompt(&mut self, rows: usize, logits: bool) -> Result<&Batch> {
        let ask = if logits { Ask::Last } else { Ask::Nothing };
        let batch = &mut self.prompts[rows - 1][usize::from(logits)];
        Ok(match batch {
            Some(batch) => batch,
            None => batch.insert(self.model.pass(&self.work, &self.layers, rows, ask)?),
        })
    }

    /// What the rows are goes to the device; how many they are.
    fn write(&self, rows: &Rows<'_>, most: usize) -> Result<usize> {
        let Rows { tokens, positions, slots, texts } = rows;
        let count = tokens.len();
        let alike = [positions.len(), slots.len(), texts.len()] == [count; 3];
        if count == 0 || count > most || !alike {
            let why = format!("paged: {count} rows, of which there must be 1 to {most}");
            return Err(Error::Session(why));
        }
        let pages = self.pages();
        for (view, numbers) in [
            (&self.work.tokens, tokens),
            (&self.work.positions, positions),
            (&pages.slots, slots),
            (&pages.texts, texts),
        ] {
            let part = view.narrow(0, 0..count)?;
            self.model.device().write(&part.slice()?, u32::as_bytes(numbers))?;
        }
        Ok(count)
    }

    fn run(&self, batch: &Option<Batch>) -> Result<()> {
        let Some(batch) = batch else { return Ok(()) };
        let device = self.model.device();
        device.wait(device.submit(batch)?)?;
        self.model.check_files()
    }

    fn read(&self, rows: usize, logits: &mut [f32]) -> Result<()> {
        let view: View = self.work.logits.narrow(0, 0..rows)?;
        Ok(self.model.device().read(&view.slice()?, f32::as_bytes_mut(logits))?)
    }

    fn pages(&self) -> &PageSpace {
        self.work.pages.as_ref().expect("the workspace is made with pages")
    }
}
