//! The text of an Einstein sum: labels for the axes of each array, and of the result.

/// What stands for an axis: a letter, or an axis of an ellipsis, counted from its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Label {
    Ellipsis(usize),
    Letter(char),
}

/// Labels of all axes.
#[derive(Debug, PartialEq)]
pub(super) struct Subscripts {
    pub(super) inputs: Vec<Vec<Label>>,
    pub(super) output: Vec<Label>,
}

impl Subscripts {
    /// Reads subscripts for arrays of these ranks.
    pub(super) fn parse(text: &str, ranks: &[usize]) -> Result<Subscripts, String> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (&*text, None),
        };
        let terms: Vec<&str> = inputs.split(',').collect();
        if terms.len() != ranks.len() {
            return Err(format!(
                "the subscripts are for {} arrays, but {} are given",
                terms.len(),
                ranks.len()
            ));
        }
        let parsed: Vec<Term> =
            terms.iter().map(|term| Term::parse(term)).collect::<Result<_, _>>()?;
        let mut most = 0;
        let mut inputs = Vec::with_capacity(terms.len());
        for ((term, text), &rank) in parsed.iter().zip(&terms).zip(ranks) {
            let letters = term.before.len() + term.behind.len();
            let fits = if term.ellipsis { letters <= rank } else { letters == rank };
            if !fits {
                return Err(format!(
                    "`{text}` has {letters} labels, but is for an array of rank {rank}"
                ));
            }
            most = most.max(rank - letters);
            inputs.push(term.labels(rank - letters));
        }
        let output = match output {
            Some(text) => {
                let term = Term::parse(text)?;
                if most > 0 && !term.ellipsis {
                    return Err("the result must have `...` too".into());
                }
                let labels = term.labels(most);
                for (i, label) in labels.iter().enumerate() {
                    let Label::Letter(letter) = label else { continue };
                    if labels[..i].contains(label) {
                        return Err(format!("the result has the label {letter} twice"));
                    }
                    if !inputs.iter().flatten().any(|other| other == label) {
                        return Err(format!("the label {letter} of the result is of no array"));
                    }
                }
                labels
            }
            None => {
                let all: Vec<Label> = inputs.iter().flatten().copied().collect();
                let once = |label: &&Label| all.iter().filter(|other| other == label).count() == 1;
                let mut letters: Vec<Label> = all
                    .iter()
                    .filter(|label| matches!(label, Label::Letter(_)))
                    .filter(once)
                    .copied()
                    .collect();
                letters.sort_unstable();
                (0..most).rev().map(Label::Ellipsis).chain(letters).collect()
            }
        };
        Ok(Subscripts { inputs, output })
    }
}

/// The labels of one array, with an ellipsis in between or without.
struct Term {
    before: Vec<char>,
    ellipsis: bool,
    behind: Vec<char>,
}

impl Term {
    fn parse(text: &str) -> Result<Term, String> {
        let (before, behind) = match text.split_once("...") {
            Some((before, behind)) => (before, Some(behind)),
            None => (text, None),
        };
        let letters = |text: &str| -> Result<Vec<char>, String> {
            let stray = text.chars().find(|c| !c.is_alphabetic());
            match stray {
                Some(c) => Err(format!("`{c}` in `{text}` is no label; labels are letters")),
                None => Ok(text.chars().collect()),
            }
        };
        Ok(Term {
            before: letters(before)?,
            ellipsis: behind.is_some(),
            behind: letters(behind.unwrap_or_default())?,
        })
    }

    /// All labels, with those of an ellipsis of so many axes.
    fn labels(&self, axes: usize) -> Vec<Label> {
        let letters =
            |letters: &[char]| letters.iter().copied().map(Label::Letter).collect::<Vec<_>>();
        let between = if self.ellipsis { axes } else { 0 };
        let ellipsis = (0..between).rev().map(Label::Ellipsis);
        letters(&self.before).into_iter().chain(ellipsis).chain(letters(&self.behind)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<Label> {
        text.chars().map(Label::Letter).collect()
    }

    #[test]
    fn the_result_has_what_stands_once_in_order() {
        let parsed = Subscripts::parse("kj, ji", &[2, 2]).unwrap();
        assert_eq!(
            parsed,
            Subscripts { inputs: vec![letters("kj"), letters("ji")], output: letters("ik") }
        );
        assert_eq!(Subscripts::parse("ii", &[2]).unwrap().output, []);
        assert_eq!(Subscripts::parse("ii->i", &[2]).unwrap().output, letters("i"));
    }

    #[test]
    fn ellipses_are_counted_from_their_end() {
        let parsed = Subscripts::parse("...ij,...jk", &[4, 3]).unwrap();
        let [a, b] = [1, 0].map(Label::Ellipsis);
        assert_eq!(
            parsed.inputs,
            [[vec![a, b], letters("ij")].concat(), [vec![b], letters("jk")].concat()]
        );
        assert_eq!(parsed.output, [vec![a, b], letters("ik")].concat());
        assert_eq!(Subscripts::parse("i...->...i", &[1]).unwrap().output, letters("i"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |text: &str, ranks: &[usize]| Subscripts::parse(text, ranks).unwrap_err();
        assert!(wrong("ij", &[2, 2]).contains("for 1 arrays, but 2 are given"));
        assert!(wrong("ij", &[3]).contains("has 2 labels, but is for an array of rank 3"));
        assert!(wrong("i1", &[2]).contains("`1` in `i1` is no label"));
        assert!(wrong("ij->k", &[2]).contains("the label k of the result is of no array"));
        assert!(wrong("ij->ii", &[2]).contains("the label i twice"));
        assert!(wrong("...i->i", &[2]).contains("must have `...` too"));
        assert!(wrong("i......", &[2]).contains("is no label"));
    }
}
