//! Arguments that belong to parameters: by name, or in order.

use crate::fault::Fault;
use anyhow::{Result, bail};
use std::{ops::Deref, str::FromStr};

/// The values of one flag.
pub(super) struct Arguments<'a> {
    flag: &'static str,
    named: Vec<(&'a str, &'a str)>,
    /// In order, the next one last.
    unnamed: Vec<&'a str>,
}

impl<'a> Arguments<'a> {
    /// Splits `NAME=VALUE` where NAME is one of `names`.
    pub(super) fn new(
        flag: &'static str,
        given: &'a [String],
        names: &[&str],
    ) -> Result<Arguments<'a>, Fault> {
        let mut arguments = Arguments { flag, named: Vec::new(), unnamed: Vec::new() };
        for text in given {
            match text.split_once('=') {
                Some((name, value)) if names.contains(&name) => {
                    if arguments.named.iter().any(|(known, _)| *known == name) {
                        return Err(Fault::usage(format!("{flag} {name} is given twice")));
                    }
                    arguments.named.push((name, value));
                }
                _ => arguments.unnamed.push(text),
            }
        }
        arguments.unnamed.reverse();
        Ok(arguments)
    }

    /// The value for the parameter `name`: its own, or the next one without a name.
    pub(super) fn take(&mut self, name: &str) -> Option<&'a str> {
        if let Some(i) = self.named.iter().position(|(known, _)| *known == name) {
            return Some(self.named.remove(i).1);
        }
        self.unnamed.pop()
    }

    /// Whether all were of use.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        let named = self.named.first().map(|(name, _)| *name);
        match named.or(self.unnamed.last().copied()) {
            None => Ok(()),
            Some(left) => Err(Fault::usage(format!(
                "{} {left}: no parameter of the program takes it",
                self.flag
            ))),
        }
    }
}

/// Sizes on the command line: `4` or `4,5,6`.
#[derive(Clone, Debug)]
pub(super) struct Sizes(Vec<usize>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Sizes, String> {
        let sizes: Result<_, _> = text.split(',').map(|size| size.trim().parse()).collect();
        sizes.map(Sizes).map_err(|_| "sizes are whole numbers with commas between".to_owned())
    }
}

impl Deref for Sizes {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl Sizes {
    /// One to three sizes; those not given are 1.
    pub(super) fn three(&self, flag: &str) -> Result<[u32; 3]> {
        let mut three = [1; 3];
        if self.len() > 3 {
            bail!("{flag}: at most three sizes");
        }
        for (to, &size) in three.iter_mut().zip(self.iter()) {
            match u32::try_from(size) {
                Ok(size) => *to = size,
                Err(_) => bail!("{flag}: {size} is too large"),
            }
        }
        Ok(three)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name_and_in_order() {
        let given = ["one.npy", "b=two.npy", "c:/odd=three.npy"].map(str::to_owned);
        let mut arguments = Arguments::new("--in", &given, &["a", "b", "c"]).unwrap();
        assert_eq!(arguments.take("a"), Some("one.npy"));
        assert!(arguments.finish().is_err());
        assert_eq!(arguments.take("b"), Some("two.npy"));
        assert_eq!(arguments.take("c"), Some("c:/odd=three.npy"));
        assert_eq!(arguments.take("d"), None);
        assert!(arguments.finish().is_ok());
        let twice = ["a=1", "a=2"].map(str::to_owned);
        assert!(Arguments::new("--set", &twice, &["a"]).is_err());
    }

    #[test]
    fn sizes() {
        let sizes: Sizes = "4, 5".parse().unwrap();
        assert_eq!(sizes.three("--grid").unwrap(), [4, 5, 1]);
        assert!("".parse::<Sizes>().is_err() && "4,-1".parse::<Sizes>().is_err());
        assert!("1,2,3,4".parse::<Sizes>().unwrap().three("--grid").is_err());
        assert!("99999999999".parse::<Sizes>().unwrap().three("--grid").is_err());
    }
}
