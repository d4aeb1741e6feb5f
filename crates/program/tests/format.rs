//! The formatter: what it changes, and that it changes nothing else.

mod common;

use bessemer_program::Program;
use common::{EVERYTHING, any_program};
use proptest::prelude::*;

fn format(text: &str) -> String {
    Program::format("p.bp", text).unwrap()
}

/// The words and comments of a text, without the space between them. Commas are left out: one may come
/// or go after the last parameter, and one before a comment moves ahead of it.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for line in text.lines() {
        let (code, comment) = line.split_once("//").map_or((line, None), |(a, b)| (a, Some(b)));
        words.extend(code.chars().filter(|c| !c.is_whitespace() && *c != ',').map(String::from));
        words.extend(comment.map(|comment| format!("//{}", comment.trim_end())));
    }
    words
}

fn check(text: &str) -> String {
    let formatted = format(text);
    let parse = |text: &str| Program::parse("p.bp", text).unwrap();
    assert_eq!(parse(&formatted), parse(text), "{text}\n{formatted}");
    assert_eq!(words(&formatted), words(text), "{text}\n{formatted}");
    assert_eq!(format(&formatted), formatted, "{text}");
    assert!(formatted.ends_with("}\n") || formatted.contains("//"), "{formatted}");
    assert!(!formatted.contains("\n\n\n"), "{formatted}");
    assert!(formatted.lines().all(|line| line == line.trim_end()), "{formatted}");
    formatted
}

#[test]
fn comments_names_and_numbers_stay() {
    let text = "

// What it is for.
//   And more.


program p( in view first :f32,out view second: f32 , uniform k:f32 ) {   // opens
\t// Before anything.

\t%value=load first[ @ ]//loaded


\t%other = fma %value , k,1.50e0   // digits as they are
\t%odd = add %other, nan : 7fc00001
    %cond = lt %odd,-2e-3
  if %cond { // then
       store second[@],%odd }   else  {  // else

store second [@], %value
  // Last in the block.

  } // closes
  loop {
break true }

}

// The end.


";
    let wanted = "\
// What it is for.
//   And more.

program p(in view first: f32, out view second: f32, uniform k: f32) { // opens
    // Before anything.

    %value = load first[@] //loaded

    %other = fma %value, k, 1.50e0 // digits as they are
    %odd = add %other, nan:7fc00001
    %cond = lt %odd, -2e-3
    if %cond { // then
        store second[@], %odd
    } else { // else
        store second[@], %value
        // Last in the block.
    } // closes
    loop {
        break true
    }
}

// The end.
";
    assert_eq!(check(text), wanted);
}

#[test]
fn parameters_with_comments_get_lines_of_their_own() {
    let text = "program p( // all of them

  in view a: f32, in view b: f32 // the second
  // alone
  , // late

  // before c
  out view c: f32,
  // at the end
) {
  store c[@], 1.0
}";
    let wanted = "\
program p( // all of them
    in view a: f32,
    in view b: f32, // the second
    // alone
    // late

    // before c
    out view c: f32,
    // at the end
) {
    store c[@], 1.0
}
";
    assert_eq!(check(text), wanted);
}

#[test]
fn long_lists_of_parameters_are_broken_and_short_ones_joined() {
    let many: Vec<String> = (0..8).map(|i| format!("in view parameter{i}: f32")).collect();
    let long = check(&format!("program p({}) {{\n}}", many.join(",")));
    assert!(long.starts_with("program p(\n    in view parameter0: f32,\n"), "{long}");
    assert!(long.ends_with("    in view parameter7: f32,\n) {\n}\n"), "{long}");
    let short = check("program p(\n  in view a: f32,\n\n  uniform k: i32,\n) {\n}");
    assert_eq!(short, "program p(in view a: f32, uniform k: i32) {\n}\n");
    assert_eq!(check("program p(){}"), "program p() {\n}\n");
}

#[test]
fn printed_programs_are_formatted() {
    let program = Program::parse("p.bp", EVERYTHING).unwrap();
    assert_eq!(check(&program.to_string()), format!("{program}\n"));
}

#[test]
fn errors_are_those_of_the_parser() {
    let text = "program p() {\n  %x = ad 1, 2\n}";
    assert_eq!(
        Program::format("p.bp", text).unwrap_err(),
        Program::parse("p.bp", text).unwrap_err()
    );
}

/// Comments so deep that their indentation would not be read again.
#[test]
fn a_text_that_would_grow_too_long_is_refused() {
    let (open, close) = ("if true {\n".repeat(32), "}\n".repeat(32));
    let text = format!("program p() {{\n{open}{}{close}}}", "//\n".repeat(100_000));
    let error = Program::format("p.bp", &text).unwrap_err().to_string();
    assert!(error.contains("when it is formatted"), "{error}");
}

/// The same text with other space, and with comments: by line, what to do to it.
fn spread(text: &str, how: &[(u8, String)]) -> String {
    let mut out = String::new();
    for (line, (code, comment)) in text.lines().zip(how.iter().cycle()) {
        if code & 1 != 0 {
            out += "\n\t\n\n";
        }
        if code & 2 != 0 {
            out += &format!("  // {comment}\n");
        }
        let line = if code & 4 != 0 { line.replace(' ', " \t ") } else { line.to_owned() };
        let line = if code & 8 != 0 { line.replace(", ", ",") } else { line };
        out += line.trim_start();
        if code & 16 != 0 {
            out += &format!("//{comment}  ");
        }
        out += if code & 32 != 0 { "\r\n" } else { "\n" };
    }
    out
}

proptest! {
    #[test]
    fn any_layout_becomes_the_same(
        program in any_program(),
        how in prop::collection::vec((any::<u8>(), "[ -~]{0,12}"), 1..9),
    ) {
        let text = program.to_string();
        let spread = spread(&text, &how);
        prop_assert_eq!(Program::parse("p.bp", &spread).unwrap(), program);
        check(&spread);
        let plain: Vec<_> = how.iter().map(|(code, _)| (code & 0b0010_1100, String::new())).collect();
        prop_assert_eq!(check(&self::spread(&text, &plain)), format!("{text}\n"));
    }

    #[test]
    fn any_damage_is_formatted_or_refused(
        at in any::<prop::sample::Index>(), with in "[ -~\n]{0,3}", cut in 0..9usize,
    ) {
        let start = at.index(EVERYTHING.len());
        let end = (start + cut).min(EVERYTHING.len());
        let text = format!("{}{with}{}", &EVERYTHING[..start], &EVERYTHING[end..]);
        if Program::parse("p", &text).is_ok() {
            let formatted = format(&text);
            prop_assert_eq!(format(&formatted), formatted);
        }
    }
}
