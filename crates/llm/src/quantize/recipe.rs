//! Quantisation types that users can request: one dtype for most of a model, or one of the common mixes.

use bessemer_core::DType;
use std::{fmt, str::FromStr};

/// How a model is to be stored: `Q8_0`, `Q4_K_M`, `F16` …
///
/// ```
/// use bessemer_llm::quantize::Recipe;
///
/// let recipe: Recipe = "q4_k_m".parse()?;
/// assert_eq!((recipe.to_string(), recipe.file_type()), ("Q4_K_M".to_owned(), 15));
/// assert!("Q9".parse::<Recipe>().unwrap_err().to_string().contains("Q4_K_M"));
/// # Ok::<(), bessemer_llm::quantize::UnknownRecipe>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    name: &'static str,
    /// What most tensors become.
    pub(super) dtype: DType,
    /// Which tensors get more bits.
    pub(super) size: Size,
    file_type: u32,
}

/// How generous a mix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// No mix: one dtype.
    Plain,
    Small,
    Medium,
    Large,
}

/// A name that is no recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("quantize: unknown type `{0}`; use one of {names}", names = names())]
pub struct UnknownRecipe(String);

const fn recipe(name: &'static str, dtype: DType, size: Size, file_type: u32) -> Recipe {
    Recipe { name, dtype, size, file_type }
}

/// The numbers are those of `general.file_type`.
const RECIPES: [Recipe; 17] = [
    recipe("F32", DType::F32, Size::Plain, 0),
    recipe("F16", DType::F16, Size::Plain, 1),
    recipe("BF16", DType::BF16, Size::Plain, 32),
    recipe("Q4_0", DType::Q4_0, Size::Plain, 2),
    recipe("Q4_1", DType::Q4_1, Size::Plain, 3),
    recipe("Q5_0", DType::Q5_0, Size::Plain, 8),
    recipe("Q5_1", DType::Q5_1, Size::Plain, 9),
    recipe("Q8_0", DType::Q8_0, Size::Plain, 7),
    recipe("IQ4_NL", DType::IQ4_NL, Size::Plain, 25),
    recipe("Q3_K_S", DType::Q3_K, Size::Small, 11),
    recipe("Q3_K_M", DType::Q3_K, Size::Medium, 12),
    recipe("Q3_K_L", DType::Q3_K, Size::Large, 13),
    recipe("Q4_K_S", DType::Q4_K, Size::Small, 14),
    recipe("Q4_K_M", DType::Q4_K, Size::Medium, 15),
    recipe("Q5_K_S", DType::Q5_K, Size::Small, 16),
    recipe("Q5_K_M", DType::Q5_K, Size::Medium, 17),
    recipe("Q6_K", DType::Q6_K, Size::Plain, 18),
];

impl Recipe {
    /// Every recipe.
    ///
    /// ```
    /// use bessemer_llm::quantize::Recipe;
    ///
    /// let names: Vec<String> = Recipe::all().map(|recipe| recipe.to_string()).collect();
    /// assert!(names.contains(&"Q8_0".to_owned()) && names.contains(&"Q5_K_M".to_owned()));
    /// ```
    pub fn all() -> impl Iterator<Item = Recipe> {
        RECIPES.into_iter()
    }

    /// Its number in the metadata of files.
    pub fn file_type(self) -> u32 {
        self.file_type
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Recipe {
    type Err = UnknownRecipe;

    fn from_str(name: &str) -> Result<Recipe, UnknownRecipe> {
        // Without a size people mean the medium mix.
        let full = match name.to_ascii_uppercase().as_str() {
            "Q3_K" => "Q3_K_M".to_owned(),
            "Q4_K" => "Q4_K_M".to_owned(),
            "Q5_K" => "Q5_K_M".to_owned(),
            other => other.to_owned(),
        };
        let found = RECIPES.into_iter().find(|recipe| recipe.name == full);
        found.ok_or_else(|| UnknownRecipe(name.to_owned()))
    }
}

fn names() -> String {
    RECIPES.map(|recipe| recipe.name).join(" ")
}
