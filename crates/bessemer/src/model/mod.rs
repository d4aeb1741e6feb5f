//! Language models by name: finds them, loads them on a device with enough memory, and falls back to
//! the CPU if a GPU fails.

#[cfg(test)]
mod tests;

use crate::{Device, DeviceChoice, DeviceOptions, Result};
use bessemer_llm::{Error as LlmError, Fallback, Llm, files::ModelFile};
use bessemer_store::{Resolved, Store};
use std::{fmt, sync::Arc};

/// Opens a model by its name in the folder of models, or by a path, on the best device there is.
/// [`LlmOptions`] has more choices.
///
/// ```no_run
/// let llm = bessemer::open_llm("smollm2")?;
/// let answer = llm.complete("Once upon a time", &Default::default())?;
/// println!("{}", answer.text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_llm(name: &str) -> Result<Llm> {
    LlmOptions::new().open(name)
}

/// How to open a model.
///
/// If `auto` chooses a GPU that has no memory for the model, the CPU is used. If a GPU fails while
/// it generates text, the CPU continues that text. [`LlmOptions::on_fallback`] hears of both.
///
/// ```
/// use bessemer::{DeviceOptions, LlmOptions};
///
/// # let folder = std::env::temp_dir();
/// # let path = folder.join(format!("bessemer-open-{}.gguf", std::process::id()));
/// # std::fs::write(&path, bessemer::llm::tiny::gguf())?;
/// # let path = path.to_str().unwrap();
/// let llm = LlmOptions::new()
///     .device("cpu".parse()?)
///     .device_options(DeviceOptions { threads: Some(2), ..Default::default() })
///     .on_fallback(|why| eprintln!("{why}"))
///     .open(path)?; // or "smollm2", or "hf:OWNER/REPO/FILE", once pulled
/// # std::fs::remove_file(path)?;
/// let mut session = llm.session(Default::default())?;
/// for piece in llm.generate(&mut session, "Once upon a time", &Default::default())?.take(5) {
///     print!("{}", piece?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct LlmOptions {
    choice: DeviceChoice,
    options: DeviceOptions,
    device: Option<Device>,
    store: Option<Store>,
    tell: Option<Tell>,
}

type Tell = Arc<dyn Fn(&str) + Send + Sync>;

impl LlmOptions {
    /// The device that `auto` takes, and the user's folder of models.
    pub fn new() -> LlmOptions {
        LlmOptions::default()
    }

    /// Which device to open.
    pub fn device(self, choice: DeviceChoice) -> LlmOptions {
        LlmOptions { choice, ..self }
    }

    /// How to open devices, that of the fallback among them.
    pub fn device_options(self, options: DeviceOptions) -> LlmOptions {
        LlmOptions { options, ..self }
    }

    /// A device that is open already. It counts as chosen by [`LlmOptions::device`].
    ///
    /// ```
    /// use bessemer::{Device, LlmOptions};
    ///
    /// # let path = std::env::temp_dir().join(format!("bessemer-on-{}.gguf", std::process::id()));
    /// # std::fs::write(&path, bessemer::llm::tiny::gguf())?;
    /// # let path = path.to_str().unwrap();
    /// let device = Device::open("cpu")?;
    /// let llm = LlmOptions::new().on(&device).open(path)?;
    /// # std::fs::remove_file(path)?;
    /// assert_eq!(llm.model().device().info().id, device.info().id);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(self, device: &Device) -> LlmOptions {
        LlmOptions { device: Some(device.clone()), ..self }
    }

    /// A folder of models other than the user's.
    ///
    /// ```
    /// use bessemer::{LlmOptions, llm::tiny, store::Store};
    ///
    /// # let folder = std::env::temp_dir().join(format!("bessemer-store-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("tiny.gguf"), tiny::gguf())?;
    /// let options = LlmOptions::new().device("cpu".parse()?).store(Store::at(&folder));
    /// assert!(options.open("tiny").is_ok());
    /// let error = options.open("tinny").unwrap_err().to_string();
    /// assert!(error.contains("did you mean \"tiny\"?"), "{error}");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn store(self, store: Store) -> LlmOptions {
        LlmOptions { store: Some(store), ..self }
    }

    /// Hears what was wrong with a GPU when the CPU takes over.
    pub fn on_fallback(self, tell: impl Fn(&str) + Send + Sync + 'static) -> LlmOptions {
        LlmOptions { tell: Some(Arc::new(tell)), ..self }
    }

    /// Opens a model: a name in the folder of models (any end of it that is unique will do), a GGUF
    /// or safetensors file, or a folder with either.
    pub fn open(&self, name: &str) -> Result<Llm> {
        let store = match &self.store {
            Some(store) => store.clone(),
            None => Store::of_user()?,
        };
        match store.resolve(name, &[])? {
            Resolved::File { path, .. } => {
                let opened = ModelFile::open(path);
                let file = opened.map_err(|e| e.with_remedy(|path| store.remedy(path)))?;
                self.open_file(&Arc::new(file))
            }
            Resolved::BuiltIn(_) => unreachable!("none was offered"),
        }
    }

    /// Loads a model from files that are open.
    pub fn open_file(&self, file: &Arc<ModelFile>) -> Result<Llm> {
        let device = match &self.device {
            Some(device) => device.clone(),
            None => Device::open_with(self.choice, &self.options)?,
        };
        let llm = match Llm::from_file(file, &device) {
            Err(error) if self.may_fall_back(&error, &device) => {
                self.tell(&error, "using `cpu`");
                return Ok(Llm::from_file(file, &self.cpu()?)?);
            }
            loaded => loaded?,
        };
        let (by_open, by_tell, file) = (self.clone(), self.clone(), Arc::clone(file));
        Ok(llm.with_fallback(Fallback::new(
            move || Ok(Llm::from_file(&file, &by_open.cpu()?)?.model().clone()),
            move |error| by_tell.tell(error, "going on with `cpu`"),
        )))
    }

    /// Whether a device that was for us to choose has no memory for a model.
    fn may_fall_back(&self, error: &LlmError, device: &Device) -> bool {
        let full = matches!(error, LlmError::NoRoom(_) | LlmError::Load { .. });
        !device.info().capabilities.host_memory && full && self.choice.kind().is_none()
    }

    fn cpu(&self) -> crate::Result<Arc<dyn bessemer_core::Device>> {
        // A timeline is of GPUs.
        let options = DeviceOptions { trace: None, ..self.options.clone() };
        Ok(Device::open_with("cpu", &options)?.into())
    }

    fn tell(&self, error: &LlmError, then: &str) {
        if let Some(tell) = &self.tell {
            tell(&format!("{error}; {then}"));
        }
    }
}

impl fmt::Debug for LlmOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LlmOptions { choice, options, device, store, .. } = self;
        f.debug_struct("LlmOptions")
            .field("choice", choice)
            .field("options", options)
            .field("device", device)
            .field("store", store)
            .finish_non_exhaustive()
    }
}
