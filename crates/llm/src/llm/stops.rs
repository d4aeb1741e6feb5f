//! Text held back as long as it may be the start of a stop string.

/// Finds stop strings in text that comes piece by piece.
#[derive(Clone, Debug)]
pub(super) struct Stops {
    stops: Vec<String>,
    held: String,
}

impl Stops {
    /// Looks for any of `stops`, none of which is empty.
    pub(super) fn new(stops: &[String]) -> Stops {
        Stops { stops: stops.to_vec(), held: String::new() }
    }

    /// Takes more text. What is sure to be no part of a stop string, and the one that was found.
    pub(super) fn push(&mut self, text: &str) -> (String, Option<&str>) {
        self.held.push_str(text);
        let places = self.stops.iter().filter_map(|stop| Some((self.held.find(stop)?, stop)));
        // Of those that begin at the same place, the longest.
        if let Some((at, stop)) = places.min_by_key(|(at, stop)| (*at, usize::MAX - stop.len())) {
            let text = self.held[..at].to_owned();
            self.held.clear();
            return (text, Some(stop));
        }
        let doubtful = self.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - doubtful);
        (std::mem::replace(&mut self.held, rest), None)
    }

    /// What was held back, now that no more comes.
    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// How many bytes at the end of `text` are the beginning of `stop`, but not all of it.
fn overlap(text: &str, stop: &str) -> usize {
    let starts = stop.char_indices().map(|(at, _)| at).rev();
    starts.into_iter().find(|&at| text.ends_with(&stop[..at])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out when `text` goes in, in pieces of `size` characters.
    fn run(stops: &[&str], text: &str, size: usize) -> (String, Option<String>) {
        let stops: Vec<String> = stops.iter().map(|&stop| stop.to_owned()).collect();
        let mut finder = Stops::new(&stops);
        let (chars, mut out): (Vec<char>, _) = (text.chars().collect(), String::new());
        for piece in chars.chunks(size) {
            let piece: String = piece.iter().collect();
            let (sure, found) = finder.push(&piece);
            let found = found.map(str::to_owned);
            out += &sure;
            if found.is_some() {
                return (out, found);
            }
        }
        (out + &finder.finish(), None)
    }

    #[test]
    fn stops_are_found_however_the_text_is_cut() {
        for size in 1..8 {
            let found = run(&["</s>", "End."], "One. </end></s> Two", size);
            assert_eq!(found, ("One. </end>".into(), Some("</s>".into())));
            assert_eq!(run(&["aab"], "aaaab", size), ("aa".into(), Some("aab".into())));
            assert_eq!(run(&["ßé漢"], "xßéßé漢y", size), ("xßé".into(), Some("ßé漢".into())));
            assert_eq!(run(&["abc"], "xxab", size), ("xxab".into(), None));
            assert_eq!(run(&[], "text", size), ("text".into(), None));
        }
        // Of what is there at once, the first; of those at one place, the longest.
        assert_eq!(run(&["b", "ab", "abc"], "xabc", 9), ("x".into(), Some("abc".into())));
    }

    #[test]
    fn nothing_is_held_back_without_need() {
        let mut finder = Stops::new(&["stop".to_owned()]);
        assert_eq!(finder.push("a st").0, "a ");
        assert_eq!(finder.push("ep").0, "step");
        assert_eq!(finder.push(" stopp"), (" ".into(), Some("stop")));
    }
}
