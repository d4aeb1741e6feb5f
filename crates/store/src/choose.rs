//! Which GGUF file of a repository is meant when only the repository is named.

/// The types of files that bessemer reads, the one to prefer first.
const TYPES: [&str; 17] = [
    "Q4_K_M", "Q4_K_S", "Q4_0", "Q4_1", "IQ4_NL", "Q5_K_M", "Q5_K_S", "Q5_0", "Q5_1", "Q6_K",
    "Q8_0", "Q3_K_L", "Q3_K_M", "Q3_K_S", "BF16", "F16", "F32",
];

/// The file of type `quant`, or the best of those that bessemer reads; an error says why there is none.
pub(crate) fn choose<'a>(files: &[&'a str], quant: Option<&str>) -> Result<&'a str, String> {
    let mut models: Vec<&str> = files.iter().copied().filter(|file| is_model(file)).collect();
    models.sort_unstable();
    if models.is_empty() {
        let remedy =
            "look for a repository whose name ends in -GGUF, or name a file: hf:OWNER/REPO/FILE";
        return Err(format!("the repository has no GGUF file; {remedy}"));
    }
    let of_type = |kind: &str| models.iter().copied().find(|file| has_type(file, kind));
    let found = match (quant, &models[..]) {
        (Some(quant), _) => of_type(quant),
        (None, [only]) => Some(*only),
        (None, _) => TYPES.iter().find_map(|kind| of_type(kind)),
    };
    let Some(found) = found else {
        let wanted = quant.map_or("a type that bessemer reads".to_owned(), |q| format!("type {q}"));
        let there = models.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        return Err(format!("the repository has no GGUF file of {wanted}; it has {there}"));
    };
    match shards(found) {
        Some(count) => Err(format!(
            "the model is split into {count} files, the first of them {found}; pull each with \
             hf:OWNER/REPO/FILE"
        )),
        None => Ok(found),
    }
}

/// Whether a file is a model, and not what lies beside one: projectors of images, importance matrices.
fn is_model(file: &str) -> bool {
    let file = file.to_lowercase();
    file.ends_with(".gguf") && !file.contains("mmproj") && !file.contains("imatrix")
}

/// Whether a file's name ends with a type, as in `tiny-Q8_0.gguf`, `tiny.q8_0-00001-of-00002.gguf`.
fn has_type(file: &str, kind: &str) -> bool {
    let file = file.to_lowercase();
    let stem = file.strip_suffix(".gguf").unwrap_or(&file);
    let stem = match shards(&file) {
        Some(_) => &stem[..stem.len() - "-00001-of-00002".len()],
        None => stem,
    };
    stem.strip_suffix(&kind.to_lowercase()).is_some_and(|rest| rest.ends_with(['-', '.', '_', '/']))
}

/// How many files a model is split into, by the name of one: `NAME-00001-of-00003.gguf`.
fn shards(file: &str) -> Option<u32> {
    let stem = file.strip_suffix(".gguf")?;
    let (rest, count) = stem.rsplit_once("-of-")?;
    let (_, number) = rest.rsplit_once('-')?;
    let five_digits = |text: &str| text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit());
    if five_digits(number) && five_digits(count) { count.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_chosen_by_type() {
        let files =
            ["README.md", "a-Q2_K.gguf", "a-Q8_0.gguf", "a-Q4_K_M.gguf", "mmproj-a-f16.gguf"];
        assert_eq!(choose(&files, None), Ok("a-Q4_K_M.gguf"));
        assert_eq!(choose(&files, Some("q8_0")), Ok("a-Q8_0.gguf"));
        assert_eq!(choose(&["x/a.f16.gguf"], None), Ok("x/a.f16.gguf"));
        assert_eq!(choose(&["a-IQ1_S.gguf"], None), Ok("a-IQ1_S.gguf"));
        let why = choose(&files, Some("Q9")).unwrap_err();
        assert!(why.contains("no GGUF file of type Q9") && why.contains("a-Q2_K.gguf"), "{why}");
        assert!(choose(&["model.safetensors"], None).unwrap_err().contains("no GGUF file"));
        assert!(
            choose(&["a-Q2_K.gguf", "b-Q2_K.gguf"], None).unwrap_err().contains("bessemer reads")
        );
        let split = ["a-q4_k_m-00001-of-00002.gguf", "a-q4_k_m-00002-of-00002.gguf"];
        assert!(choose(&split, Some("Q4_K_M")).unwrap_err().contains("split into 2 files"));
        // Not the end of another type's name.
        assert!(!has_type("aQ4_0.gguf", "Q4_0") && !has_type("a-Q4_K_M.gguf", "K_M.gguf"));
    }
}
