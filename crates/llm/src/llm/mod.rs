//! A model ready to generate text: its weights, tokenizer and chat template.
//!
//! Text goes in and out here; tokens, keys and values live in [`Session`].

mod fallback;
mod generation;
mod lookup;
mod options;
mod prompt;
mod settings;
mod shield;
mod stops;
mod writer;

pub use fallback::Fallback;
pub use generation::{Answer, Generation};
pub use lookup::Lookup;
pub use options::{GenerateOptions, StopReason, Timings, WhenFull};
pub use prompt::Prompt;
pub use settings::{SETTINGS, Setting, Takes};
pub use writer::Writer;

use crate::{
    Cancel, Error, Model, Result, Session, SessionOptions,
    files::{Gguf, ModelFile},
    template::{Chat, ChatTemplate},
    tokenizer::{Encode, Tokenizer},
};
use bessemer_core::{Device, HostMemory};
use shield::Shield;
use std::{fmt, path::Path, sync::Arc};

/// A language model on a device. Clones are handles to the same one.
///
/// ```
/// use bessemer_llm::{GenerateOptions, Llm, SessionOptions, template::{Chat, Message}};
/// # use std::sync::Arc;
/// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("model.gguf");
/// # std::fs::write(&path, bessemer_llm::tiny::gguf())?;
///
/// let llm = Llm::open(&path, &device)?;
/// let mut session = llm.session(SessionOptions::default())?;
/// let options = GenerateOptions { max_tokens: Some(8), ..Default::default() };
///
/// // Text as it comes.
/// let mut text = llm.generate(&mut session, "Once upon a time", &options)?;
/// for piece in &mut text {
///     print!("{}", piece?);
/// }
/// println!("\n({})", text.stop_reason().unwrap().name());
/// # drop(text);
///
/// // An answer in a chat. What the session has of it already is not computed again.
/// let chat = Chat::new([Message::system("Be brief."), Message::user("Hello!")]);
/// let answer = llm.chat(&mut session, &chat, &options)?.finish()?;
/// println!("{} ({:.0} tokens/s)", answer.text, answer.timings.decode_tokens_per_s());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Llm {
    parts: Arc<Parts>,
    fallback: Option<Arc<Fallback>>,
}

struct Parts {
    model: Arc<Model>,
    tokenizer: Tokenizer,
    shield: Shield,
    /// A template that does not parse only matters to those who chat.
    template: Result<Option<ChatTemplate>, String>,
}

impl Llm {
    /// Opens a model: a GGUF file, a safetensors file or index, or a folder with either.
    pub fn open(path: impl AsRef<Path>, device: &Arc<dyn Device>) -> Result<Llm> {
        Llm::from_file(&ModelFile::open(path)?, device)
    }

    /// Takes a GGUF file that is in memory.
    pub fn from_bytes(bytes: Vec<u8>, device: &Arc<dyn Device>) -> Result<Llm> {
        Llm::from_file(&ModelFile::Gguf(Box::new(Gguf::from_bytes(bytes)?)), device)
    }

    /// Takes a GGUF file that is compiled in. It is used where it lies, if it lies at a multiple of
    /// 16 bytes.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// use bessemer_llm::{GenerateOptions, Llm, sampling::Sampling};
    ///
    /// // `ember`, the toy model of this repository.
    /// static EMBER: &[u8] = include_bytes!("../../../../models/ember/ember.gguf");
    /// let llm = Llm::from_static(EMBER, &device)?;
    /// let (max_tokens, sampling) = (Some(8), Sampling::greedy());
    /// let options = GenerateOptions { max_tokens, sampling, ..Default::default() };
    /// let story = llm.complete("Once upon a time", &options)?;
    /// assert_eq!(story.tokens.len(), 8);
    /// assert!(story.text.starts_with(','), "{}", story.text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_static(bytes: &'static [u8], device: &Arc<dyn Device>) -> Result<Llm> {
        let memory = HostMemory::new(Arc::new(bytes));
        Llm::from_file(&ModelFile::Gguf(Box::new(Gguf::from_memory(memory)?)), device)
    }

    /// Takes a file that is open already.
    pub fn from_file(file: &ModelFile, device: &Arc<dyn Device>) -> Result<Llm> {
        // What cannot be read is refused before the weights are taken to the device.
        let tokenizer = Tokenizer::of(file)?;
        Llm::with(file, Arc::new(Model::of(file, device)?), tokenizer)
    }

    /// The file's words with a model that the caller has made of it.
    #[cfg(test)]
    pub(crate) fn with_model(file: &ModelFile, model: Arc<Model>) -> Result<Llm> {
        Llm::with(file, model, Tokenizer::of(file)?)
    }

    fn with(file: &ModelFile, model: Arc<Model>, tokenizer: Tokenizer) -> Result<Llm> {
        check_vocabulary(file, &model, &tokenizer)?;
        let template = match ChatTemplate::of(file) {
            Err(Error::Template { why, .. }) => Err(why),
            other => Ok(other?),
        };
        let shield = Shield::new(&tokenizer);
        let parts = Arc::new(Parts { model, tokenizer, shield, template });
        Ok(Llm { parts, fallback: None })
    }

    /// The same model, whose texts go on elsewhere if the GPU they are written on fails.
    ///
    /// ```
    /// use bessemer_llm::{Fallback, Llm, tiny};
    /// # use std::sync::Arc;
    /// # let open = || -> bessemer_core::Result<Arc<dyn bessemer_core::Device>> {
    /// #     Ok(Arc::new(bessemer_cpu::Cpu::open(Default::default())?))
    /// # };
    /// # let gpu = open()?;
    /// let llm = Llm::from_bytes(tiny::gguf(), &gpu)?.with_fallback(Fallback::new(
    ///     move || Ok(Llm::from_bytes(tiny::gguf(), &open()?)?.model().clone()),
    ///     |error| eprintln!("{error}; the CPU takes over"),
    /// ));
    /// # assert!(llm.complete("a", &Default::default()).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_fallback(self, fallback: Fallback) -> Llm {
        Llm { fallback: Some(Arc::new(fallback)), ..self }
    }

    /// What its texts go on with if their GPU fails, if there is something.
    pub fn fallback(&self) -> Option<&Fallback> {
        self.fallback.as_deref()
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.parts.model
    }

    /// Its tokenizer.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_llm::tokenizer::Encode;
    ///
    /// let tokens = llm.tokenizer().encode("Hello", Encode::PLAIN)?;
    /// assert_eq!(tokens.len(), 5); // this one has a token per byte
    /// assert_eq!(llm.tokenizer().decode(&tokens)?, "Hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.parts.tokenizer
    }

    /// Its chat template, if it has one. An error if that does not parse.
    pub fn template(&self) -> Result<Option<&ChatTemplate>> {
        match &self.parts.template {
            Ok(template) => Ok(template.as_ref()),
            Err(why) => Err(Error::Template { why: why.clone(), remedy: crate::template::REMEDY }),
        }
    }

    /// Opens a session: memory for a text in progress.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_core::DType;
    /// use bessemer_llm::SessionOptions;
    ///
    /// let options = SessionOptions { context: Some(64), cache: DType::F32, ..Default::default() };
    /// let session = llm.session(options)?;
    /// assert_eq!((session.capacity(), session.room()), (64, 64));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn session(&self, options: SessionOptions) -> Result<Session> {
        Session::new(&self.parts.model, options)
    }

    /// Writes on from a prompt, which becomes the text of the session; what it has of it already
    /// is not computed again.
    ///
    /// The pieces come from the iterator; [`Generation::finish`] gives all at once.
    pub fn generate<'a>(
        &'a self,
        session: &'a mut Session,
        prompt: impl Into<Prompt<'a>>,
        options: &GenerateOptions,
    ) -> Result<Generation<'a>> {
        let prompt = prompt.into();
        let tokens = self.tokens_unless(&options.cancel, &prompt)?;
        Generation::new(self, session, &prompt, tokens, options)
    }

    /// Writes on from a text that begins with `before`, where a prompt follows: with the tokens of a
    /// session that was [restored](Session::restore), only the prompt goes through the model. What
    /// begins a text, as `<s>`, is not put between the two. The prompt may be empty.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// # let options = bessemer_llm::GenerateOptions { max_tokens: Some(4), ..Default::default() };
    /// # let mut session = llm.session(Default::default())?;
    /// session.extend(&[1, 2, 3])?; // or a text that was restored
    /// let before = session.tokens().to_vec();
    /// let answer = llm.generate_after(&mut session, &before, "Hi", &options)?.finish()?;
    /// assert_eq!((answer.timings.prompt_tokens, answer.timings.reused_tokens), (5, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generate_after<'a>(
        &'a self,
        session: &'a mut Session,
        before: &[u32],
        prompt: impl Into<Prompt<'a>>,
        options: &GenerateOptions,
    ) -> Result<Generation<'a>> {
        let prompt = prompt.into();
        let mut tokens = self.tokens_unless(&options.cancel, &prompt)?;
        if let Some(tokens) = &mut tokens
            && !before.is_empty()
        {
            let begins = match prompt {
                Prompt::Tokens(_) => 0,
                _ => self.parts.tokenizer.begins(tokens),
            };
            tokens.splice(..begins, before.iter().copied());
        }
        Generation::new(self, session, &prompt, tokens, options)
    }

    /// Answers a chat, by the model's own template. Messages are text and nothing else: words in
    /// them that are spelled like tokens that steer the model do not.
    pub fn chat<'a>(
        &'a self,
        session: &'a mut Session,
        chat: &Chat,
        options: &GenerateOptions,
    ) -> Result<Generation<'a>> {
        let prompt = Prompt::Chat(chat);
        let tokens = self.tokens_unless(&options.cancel, &prompt)?;
        Generation::new(self, session, &prompt, tokens, options)
    }

    /// A whole text, in a session of its own.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_llm::{GenerateOptions, StopReason};
    ///
    /// let options = GenerateOptions { max_tokens: Some(4), ignore_end: true, ..Default::default() };
    /// let answer = llm.complete("One, two,", &options)?;
    /// assert_eq!((answer.tokens.len(), answer.stop), (4, StopReason::Length));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn complete<'a>(
        &'a self,
        prompt: impl Into<Prompt<'a>>,
        options: &GenerateOptions,
    ) -> Result<Answer> {
        let prompt = prompt.into();
        let tokens = self.tokens_unless(&options.cancel, &prompt)?;
        let len = tokens.as_ref().map_or(1, Vec::len);
        let room = options.max_tokens.map(|most| len.saturating_add(most));
        let trained = self.parts.model.config().context;
        let context = room.map(|room| room.min(trained.max(len)));
        let mut session = self.session(SessionOptions { context, ..Default::default() })?;
        Generation::new(self, &mut session, &prompt, tokens, options)?.finish()
    }

    /// What the model may say next: one number per token, larger is likelier.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// let logits = llm.logits(&mut session, "The sky is")?;
    /// let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap();
    /// println!("{:?}", llm.tokenizer().decode(&[best as u32])?);
    /// # assert_eq!(logits.len(), llm.model().config().vocabulary);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn logits<'a>(
        &self,
        session: &mut Session,
        prompt: impl Into<Prompt<'a>>,
    ) -> Result<Vec<f32>> {
        Ok(session.become_text(&self.tokens(&prompt.into())?)?.to_vec())
    }

    /// What a text means to the model: the mean of its last states over all tokens, as many
    /// numbers as the model is wide. Texts are alike as far as the angle between these is small.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// let mut session = llm.session(Default::default())?;
    /// let [a, b] = ["a cat", "a dog"].map(|text| llm.embed(&mut session, text));
    /// let likeness = bessemer_llm::embedding::cosine(&a?, &b?);
    /// println!("{likeness}");
    /// # assert!((0.0..1.0).contains(&likeness.abs()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn embed(&self, session: &mut Session, text: &str) -> Result<Vec<f32>> {
        session.mean_state(&self.parts.tokenizer.encode(text, Encode::TEXT)?)
    }

    /// The tokens of a prompt.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_llm::Prompt;
    ///
    /// assert_eq!(llm.tokens(&Prompt::Text("ab"))?, [97, 98]);
    /// assert_eq!(llm.tokens(&Prompt::Tokens(&[1, 2]))?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokens(&self, prompt: &Prompt<'_>) -> Result<Vec<u32>> {
        Ok(self.tokens_unless(&Cancel::new(), prompt)?.unwrap_or_default())
    }

    /// The same, unless it is cancelled: `None`.
    fn tokens_unless(&self, cancel: &Cancel, prompt: &Prompt<'_>) -> Result<Option<Vec<u32>>> {
        let tokenizer = &self.parts.tokenizer;
        match prompt {
            Prompt::Text(text) => {
                let Some(text) = tokenizer.encode_unless(cancel, text, Encode::PLAIN)? else {
                    return Ok(None);
                };
                // What ends a text has no place before what follows.
                let mut tokens = tokenizer.affixes().0.to_vec();
                tokens.extend(text);
                Ok(Some(tokens))
            }
            Prompt::Chat(chat) => {
                let mut chat = (*chat).clone();
                self.parts.shield.break_up(&mut chat);
                let Some(text) = self.render_unless(cancel, &chat)? else {
                    return Ok(None);
                };
                shield::encode(tokenizer, cancel, &text)
            }
            Prompt::Tokens(tokens) => Ok(Some(tokens.to_vec())),
        }
    }

    /// The text that the model's template makes of a chat.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// # let llm = bessemer_llm::Llm::from_bytes(bessemer_llm::tiny::gguf(), &device)?;
    /// use bessemer_llm::template::{Chat, Message};
    ///
    /// let text = llm.render(&Chat::new([Message::user("Hi")]))?;
    /// assert_eq!(text, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn render(&self, chat: &Chat) -> Result<String> {
        self.render_unless(&Cancel::new(), chat).map(Option::unwrap_or_default)
    }

    fn render_unless(&self, cancel: &Cancel, chat: &Chat) -> Result<Option<String>> {
        let template = self.template()?.ok_or_else(|| Error::Template {
            why: "the model has none".into(),
            remedy: "use the model without one (raw), or a model made for chats",
        })?;
        let name = |token: Option<u32>| {
            let piece = self.parts.tokenizer.piece(token?)?;
            Some(String::from_utf8_lossy(piece).into_owned())
        };
        let mut chat = chat.clone();
        chat.bos_token = chat.bos_token.or_else(|| name(self.parts.tokenizer.bos()));
        chat.eos_token = chat.eos_token.or_else(|| name(self.parts.tokenizer.eos()));
        template.render_unless(cancel, &chat)
    }
}

/// Whether tokenizer and weights speak of the same tokens. More rows of weights than tokens are
/// common: they are padding, and never chosen.
fn check_vocabulary(file: &ModelFile, model: &Model, tokenizer: &Tokenizer) -> Result<()> {
    let (tokens, rows) = (tokenizer.len(), model.config().vocabulary);
    if tokens <= rows {
        return Ok(());
    }
    let path = file.tensors().files().next().unwrap_or("".as_ref());
    let why = format!("has {tokens} tokens, but the model has weights for {rows}");
    Err(Error::damaged(path, "the tokenizer", why))
}

impl fmt::Debug for Llm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Llm ({:?}, {} tokens)", self.parts.model, self.parts.tokenizer.len())
    }
}
