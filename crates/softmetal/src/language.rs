//! The versions of the language, and how people spell them.

/// Every version there is, as `__METAL_VERSION__` has it.
const VERSIONS: &[u32] = &[100, 110, 120, 200, 210, 220, 230, 240, 300, 310, 320, 400];

/// How compilers on different systems call them, and the first and last that a system has.
#[cfg(any(feature = "cli", test))]
const SYSTEMS: &[(&str, u32, u32)] = &[
    ("macos-metal", 110, 240),
    ("osx-metal", 110, 200),
    ("ios-metal", 100, 240),
    ("metal", 300, 400),
];

/// Whether there is such a version.
pub(crate) fn is_version(version: u32) -> bool {
    VERSIONS.contains(&version)
}

/// The versions as people write them, for messages.
pub(crate) fn versions() -> String {
    let all: Vec<String> =
        VERSIONS.iter().map(|v| format!("{}.{}", v / 100, v % 100 / 10)).collect();
    all.join(", ")
}

/// Reads `3.1`, `metal3.1`, `macos-metal2.4`, `ios-metal2.4` and their kin.
#[cfg(any(feature = "cli", test))]
pub(crate) fn version(text: &str) -> Option<u32> {
    let system = SYSTEMS.iter().find(|(name, ..)| text.starts_with(name));
    let (text, first, last) = match system {
        Some((name, first, last)) => (&text[name.len()..], *first, *last),
        None => (text, 100, 400),
    };
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    let digit = |t: &str| t.parse::<u32>().ok().filter(|_| t.len() == 1 && t != "+");
    let version = digit(major)? * 100 + digit(minor)? * 10;
    (is_version(version) && (first..=last).contains(&version)).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (text, want) in [
            ("3.1", Some(310)),
            ("metal3.1", Some(310)),
            ("4", Some(400)),
            ("macos-metal2.4", Some(240)),
            ("osx-metal1.2", Some(120)),
            ("ios-metal1.0", Some(100)),
            ("macos-metal1.0", None),
            ("macos-metal3.0", None),
            ("metal2.4", None),
            ("osx-metal2.1", None),
            ("2.5", None),
            ("3.3", None),
            ("4.1", None),
            ("0.9", None),
            ("3.10", None),
            ("3.", None),
            ("three", None),
            ("", None),
            ("-3.1", None),
        ] {
            assert_eq!(version(text), want, "{text}");
        }
        assert!(versions().starts_with("1.0, 1.1, 1.2, 2.0") && versions().ends_with("3.2, 4.0"));
    }
}
