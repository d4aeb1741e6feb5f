//! Jinja for chat templates from untrusted files.
//!
//! A model file brings its own chat template, written in Jinja for Python's `jinja2` with the settings
//! of `transformers`. This crate reads and renders such templates, and a template cannot do harm: time,
//! memory, output and recursion have [`Limits`], and every operation is charged for its work before it
//! is done. There is no access to files, other templates, random numbers or anything else.
//!
//! ```
//! use bessemer_jinja::Template;
//! use serde_json::json;
//!
//! let template = Template::new("{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}{% endfor %}")?;
//! let variables = json!({ "messages": [{ "role": "user", "content": " Hello " }] });
//! assert_eq!(template.render(&variables)?, "<|user|>Hello");
//! # Ok::<(), bessemer_jinja::Error>(())
//! ```
//!
//! # The language
//!
//! Everything that chat templates use, with the results of `jinja2`: all expressions, `if`, `for`
//! (with `if`, `else`, `recursive`, `break`, `continue`), `set`, `with`, `macro`, `call`, `filter`,
//! `raw`, `generation`; the filters, tests and global functions that make sense here; the methods of
//! Python's strings, lists and dicts that change nothing. Values print as Python prints them. Blocks are
//! trimmed and stripped (`trim_blocks`, `lstrip_blocks`). `tojson` is that of `transformers`.
//!
//! Not supported: `include`, `import`, `extends`, `block`, `autoescape` and markup (`escape` gives a
//! string), and the filters `pprint`, `random`, `urlize` and `wordwrap`. Integers have 128 bits. A
//! namespace cannot hold a namespace, a macro or a loop. Generators (`map`, `select` and so on) and the
//! condition of a `for` are evaluated at once, not item by item. An unknown filter or test is an error
//! when it is reached.

mod ast;
mod clock;
mod error;
mod eval;
mod filters;
mod format;
mod lexer;
mod limits;
mod literal;
mod methods;
mod parser;
mod strings;
mod tests;
mod token;
mod value;

pub use error::{Error, ErrorKind};
pub use eval::Clock;
pub use limits::Limits;

use limits::Meter;
use serde_json::Value as Json;
use std::sync::{Arc, atomic::AtomicBool};

/// A parsed template. Clones share the tree.
#[derive(Clone)]
pub struct Template {
    tree: Arc<parser::Tree>,
    limits: Limits,
}

impl std::fmt::Debug for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Template").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Template {
    /// Parses a template, with the default limits.
    pub fn new(source: &str) -> Result<Template, Error> {
        Template::with_limits(source, Limits::default())
    }

    /// Parses a template, with limits of its own.
    pub fn with_limits(source: &str, limits: Limits) -> Result<Template, Error> {
        Ok(Template { tree: Arc::new(parser::parse(source, &limits)?), limits })
    }

    /// The text that the template makes of these variables: the entries of a JSON object.
    pub fn render(&self, variables: &Json) -> Result<String, Error> {
        self.render_with(variables, &Environment::default())
    }

    /// The same, with what the surroundings offer.
    pub fn render_with(
        &self,
        variables: &Json,
        environment: &Environment<'_>,
    ) -> Result<String, Error> {
        let meter = Meter::new(self.limits, environment.cancel.clone());
        let variables = variables.as_object().into_iter().flatten();
        eval::run(&self.tree, meter, environment.clock, variables)
    }
}

/// What a rendering is given besides variables.
///
/// ```
/// use bessemer_jinja::{Environment, ErrorKind, Template};
/// use serde_json::json;
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let template = Template::new("{{ strftime_now('%Y') }}")?;
/// let clock = |format: &str| Ok(format.replace("%Y", "1970"));
/// let environment = Environment { clock: Some(&clock), cancel: None };
/// assert_eq!(template.render_with(&json!({}), &environment)?, "1970");
///
/// let cancel = Some(Arc::new(AtomicBool::new(true)));
/// let error = template.render_with(&json!({}), &Environment { cancel, ..environment }).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Cancelled);
/// # Ok::<(), bessemer_jinja::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Environment<'a> {
    /// Formats the present time, for `strftime_now`. Without one, that function fails.
    pub clock: Option<Clock<'a>>,
    /// Ends the rendering once it is true.
    pub cancel: Option<Arc<AtomicBool>>,
}
