//! The catalogue: short names for well-known models, and the files on the hub they stand for. It lists
//! only architectures that bessemer runs, and one file per model.

/// A model of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What to type: the first is the model's name, others mean the same.
    pub names: &'static [&'static str],
    /// The owner of the repository.
    pub owner: &'static str,
    /// The repository.
    pub repo: &'static str,
    /// The file in it.
    pub file: &'static str,
    /// The architecture, as GGUF files name it.
    pub architecture: &'static str,
    /// About how large the file is, in megabytes.
    pub megabytes: u32,
}

const fn listed(
    names: &'static [&'static str],
    owner: &'static str,
    repo: &'static str,
    file: &'static str,
    architecture: &'static str,
    megabytes: u32,
) -> Listed {
    Listed { names, owner, repo, file, architecture, megabytes }
}

/// All of them.
#[rustfmt::skip]
pub const CATALOGUE: &[Listed] = &[
    listed(&["smollm2:135m"], "bartowski", "SmolLM2-135M-Instruct-GGUF", "SmolLM2-135M-Instruct-Q4_K_M.gguf", "llama", 105),
    listed(&["smollm2:360m"], "bartowski", "SmolLM2-360M-Instruct-GGUF", "SmolLM2-360M-Instruct-Q4_K_M.gguf", "llama", 271),
    listed(&["smollm2:1.7b"], "HuggingFaceTB", "SmolLM2-1.7B-Instruct-GGUF", "smollm2-1.7b-instruct-q4_k_m.gguf", "llama", 1060),
    listed(&["tinyllama:1.1b", "tinyllama"], "TheBloke", "TinyLlama-1.1B-Chat-v1.0-GGUF", "tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf", "llama", 669),
    listed(&["llama3.2:1b"], "bartowski", "Llama-3.2-1B-Instruct-GGUF", "Llama-3.2-1B-Instruct-Q4_K_M.gguf", "llama", 808),
    listed(&["llama3.2:3b", "llama3.2"], "bartowski", "Llama-3.2-3B-Instruct-GGUF", "Llama-3.2-3B-Instruct-Q4_K_M.gguf", "llama", 2020),
    listed(&["llama3.1:8b", "llama3.1"], "bartowski", "Meta-Llama-3.1-8B-Instruct-GGUF", "Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama", 4920),
    listed(&["mistral:7b", "mistral"], "bartowski", "Mistral-7B-Instruct-v0.3-GGUF", "Mistral-7B-Instruct-v0.3-Q4_K_M.gguf", "llama", 4370),
    listed(&["qwen2.5:0.5b"], "Qwen", "Qwen2.5-0.5B-Instruct-GGUF", "qwen2.5-0.5b-instruct-q4_k_m.gguf", "qwen2", 491),
    listed(&["qwen2.5:1.5b"], "Qwen", "Qwen2.5-1.5B-Instruct-GGUF", "qwen2.5-1.5b-instruct-q4_k_m.gguf", "qwen2", 1120),
    listed(&["qwen2.5:3b"], "Qwen", "Qwen2.5-3B-Instruct-GGUF", "qwen2.5-3b-instruct-q4_k_m.gguf", "qwen2", 2100),
    listed(&["qwen2.5:7b", "qwen2.5"], "bartowski", "Qwen2.5-7B-Instruct-GGUF", "Qwen2.5-7B-Instruct-Q4_K_M.gguf", "qwen2", 4680),
    listed(&["deepseek-r1:1.5b"], "bartowski", "DeepSeek-R1-Distill-Qwen-1.5B-GGUF", "DeepSeek-R1-Distill-Qwen-1.5B-Q4_K_M.gguf", "qwen2", 1120),
    listed(&["qwen3:0.6b"], "Qwen", "Qwen3-0.6B-GGUF", "Qwen3-0.6B-Q8_0.gguf", "qwen3", 639),
    listed(&["qwen3:1.7b"], "Qwen", "Qwen3-1.7B-GGUF", "Qwen3-1.7B-Q8_0.gguf", "qwen3", 1830),
    listed(&["qwen3:4b"], "Qwen", "Qwen3-4B-GGUF", "Qwen3-4B-Q4_K_M.gguf", "qwen3", 2500),
    listed(&["qwen3:8b", "qwen3"], "Qwen", "Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M.gguf", "qwen3", 5030),
    listed(&["qwen3:14b"], "Qwen", "Qwen3-14B-GGUF", "Qwen3-14B-Q4_K_M.gguf", "qwen3", 9000),
    listed(&["qwen3:30b", "qwen3:30b-a3b"], "Qwen", "Qwen3-30B-A3B-GGUF", "Qwen3-30B-A3B-Q4_K_M.gguf", "qwen3moe", 18557),
    listed(&["gemma2:2b"], "bartowski", "gemma-2-2b-it-GGUF", "gemma-2-2b-it-Q4_K_M.gguf", "gemma2", 1710),
    listed(&["gemma2:9b", "gemma2"], "bartowski", "gemma-2-9b-it-GGUF", "gemma-2-9b-it-Q4_K_M.gguf", "gemma2", 5760),
    listed(&["gemma3:1b"], "ggml-org", "gemma-3-1b-it-GGUF", "gemma-3-1b-it-Q4_K_M.gguf", "gemma3", 806),
    listed(&["gemma3:4b", "gemma3"], "ggml-org", "gemma-3-4b-it-GGUF", "gemma-3-4b-it-Q4_K_M.gguf", "gemma3", 2490),
    listed(&["phi3:mini", "phi3", "phi3:3.8b"], "bartowski", "Phi-3.1-mini-4k-instruct-GGUF", "Phi-3.1-mini-4k-instruct-Q4_K_M.gguf", "phi3", 2390),
];

impl Listed {
    /// The model's name in the catalogue.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// The model of this name, in capitals or not; `NAME:latest` is `NAME`.
    pub(crate) fn of_name(name: &str) -> Option<&'static Listed> {
        let name = name.to_lowercase();
        let name = name.strip_suffix(":latest").unwrap_or(&name);
        CATALOGUE.iter().find(|listed| listed.names.contains(&name))
    }

    /// The model that is this file of the hub.
    pub(crate) fn of_file(owner: &str, repo: &str, file: &str) -> Option<&'static Listed> {
        let same =
            |listed: &&Listed| (listed.owner, listed.repo, listed.file) == (owner, repo, file);
        CATALOGUE.iter().find(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use std::collections::HashSet;

    #[test]
    fn entries_have_the_right_form() {
        let mut names = HashSet::new();
        let mut files = HashSet::new();
        for listed in CATALOGUE {
            for name in listed.names {
                assert!(names.insert(*name) && *name != "smollm2", "{name} is there twice");
                let plain =
                    |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:".contains(c);
                assert!(
                    name.chars().all(plain) && name.split(':').all(|part| !part.is_empty()),
                    "{name}"
                );
                // What has no tag is short for what has one.
                assert!(listed.name().contains(':'), "{name}");
                let family = name.split(':').next();
                assert_eq!(family, listed.name().split(':').next(), "{name}");
                let (owner, repo) = (listed.owner.to_owned(), listed.repo.to_owned());
                let source = Source::Hub { owner, repo, file: listed.file.to_owned() };
                assert_eq!(name.parse::<Source>().unwrap(), source);
                assert_eq!(source.to_string().parse::<Source>().unwrap(), source, "{name}");
                assert_eq!(source.name(), listed.name());
            }
            assert!(files.insert((listed.repo, listed.file)), "{listed:?}");
            assert!(listed.repo.ends_with("-GGUF"), "{listed:?}");
            let file = listed.file.to_lowercase();
            assert!(file.ends_with("q4_k_m.gguf") || file.ends_with("q8_0.gguf"), "{listed:?}");
            assert!((50..50_000).contains(&listed.megabytes), "{listed:?}");
        }
        assert_eq!(Listed::of_name("Qwen3:latest").unwrap().name(), "qwen3:8b");
    }
}
