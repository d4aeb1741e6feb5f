//! The header of a `.npy` file: a Python dictionary of three entries.

use crate::{Error, Result};

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) descr: String,
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

/// Reads a header whose first byte is byte `start` of the file.
pub(super) fn parse(text: &[u8], start: u64) -> Result<Header> {
    let mut parser = Parser { text, start, at: 0 };
    let header = parser.dictionary()?;
    parser.space();
    match parser.peek() {
        None => Ok(header),
        Some(_) => Err(parser.wrong("something after the dictionary")),
    }
}

struct Parser<'a> {
    text: &'a [u8],
    start: u64,
    at: usize,
}

impl Parser<'_> {
    fn dictionary(&mut self) -> Result<Header> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.expect(b'{')?;
        loop {
            if self.eat(b'}') {
                break;
            }
            let at = self.at;
            let key = self.string()?;
            self.expect(b':')?;
            let again = match key.as_str() {
                "descr" => descr.replace(self.string_or_records()?).is_some(),
                "fortran_order" => fortran.replace(self.boolean()?).is_some(),
                "shape" => shape.replace(self.tuple()?).is_some(),
                _ => {
                    self.at = at;
                    return Err(self.wrong(&format!("the unknown key '{key}'")));
                }
            };
            if again {
                self.at = at;
                return Err(self.wrong(&format!("the key '{key}' a second time")));
            }
            if !self.eat(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Header { descr, fortran, shape }),
            _ => Err(self.wrong("a dictionary without 'descr', 'fortran_order' and 'shape'")),
        }
    }

    fn string_or_records(&mut self) -> Result<String> {
        self.space();
        if self.peek() == Some(b'[') {
            return Err(self.wrong("a structured dtype (records), which arrays can't hold"));
        }
        self.string()
    }

    fn string(&mut self) -> Result<String> {
        self.space();
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.wrong("no string where one is due")),
        };
        let rest = &self.text[self.at + 1..];
        let Some(len) = rest.iter().position(|&c| c == quote) else {
            return Err(self.wrong("a string without an end"));
        };
        self.at += len + 2;
        Ok(String::from_utf8_lossy(&rest[..len]).into_owned())
    }

    fn boolean(&mut self) -> Result<bool> {
        self.space();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong("neither True nor False"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>> {
        self.expect(b'(')?;
        let mut sizes = Vec::new();
        loop {
            if self.eat(b')') {
                return Ok(sizes);
            }
            sizes.push(self.number()?);
            if !self.eat(b',') {
                self.expect(b')')?;
                return Ok(sizes);
            }
        }
    }

    fn number(&mut self) -> Result<usize> {
        self.space();
        let digits = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let text = String::from_utf8_lossy(&self.text[self.at..self.at + digits]).into_owned();
        let Ok(number) = text.parse() else {
            let what = if digits == 0 { "no size where one is due" } else { "a size too large" };
            return Err(self.wrong(what));
        };
        self.at += digits;
        // Python 2 wrote long integers so.
        if self.peek() == Some(b'L') {
            self.at += 1;
        }
        Ok(number)
    }

    fn expect(&mut self, wanted: u8) -> Result<()> {
        if self.eat(wanted) {
            return Ok(());
        }
        Err(self.wrong(&format!("no `{}` where one is due", char::from(wanted))))
    }

    fn eat(&mut self, wanted: u8) -> bool {
        self.space();
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn wrong(&self, what: &str) -> Error {
        Error::Npy { at: self.start + self.at as u64, why: format!("the header has {what}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let header = parse(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", 10);
        let header = header.unwrap();
        assert_eq!((header.descr.as_str(), header.fortran), ("<f4", false));
        assert_eq!(header.shape, [2, 3]);
        let header = parse(b"{\"shape\":(),'fortran_order':True,'descr':'|b1'}", 10).unwrap();
        assert_eq!(header.shape, [0; 0]);
        let header = parse(b"{'shape':(3L,),'fortran_order':True,'descr':'|b1'}", 10).unwrap();
        assert_eq!(header.shape, [3]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let wrong = |text: &str| parse(text.as_bytes(), 100).unwrap_err().to_string();
        assert!(wrong("").contains("(byte 100)"));
        assert!(wrong("{'descr': 5").contains("(byte 110)"));
        assert!(wrong("{'descr': [('a', '<f4')]").contains("records"));
        assert!(wrong("{'descr': '<f4', 'descr'").contains("no `:`"));
        assert!(wrong("{'descr': '<f4', 'descr': '<f4'}").contains("second time"));
        assert!(wrong("{'what': '<f4'}").contains("unknown key 'what' (byte 101)"));
        assert!(wrong("{'descr': '<f4'}").contains("without"));
        assert!(wrong("{'shape': (99999999999999999999999,)}").contains("too large"));
        assert!(wrong("{'shape': (-1,)}").contains("no size"));
        assert!(wrong("{'descr': 'abc").contains("without an end"));
        let good = "{'descr': '<f4', 'fortran_order': False, 'shape': ()}";
        assert!(wrong(&format!("{good} x")).contains("after"));
        for end in 0..good.len() {
            assert!(parse(&good.as_bytes()[..end], 0).is_err());
        }
    }
}
