//! A command in one text, in words.

use super::Stop;
use crate::judge::Code;

/// The words of a command that an option holds.
///
/// # Errors
/// A quote stays open, or there is no word.
pub(super) fn of_option(option: &str, text: &str) -> Result<Vec<String>, Stop> {
    let bad = |what: &str| Stop::new(Code::BadOption, format!("{option} `{text}` {what}"));
    match split(text) {
        None => Err(bad("leaves a quote open")),
        Some(words) if words.is_empty() => Err(bad("names no command")),
        Some(words) => Ok(words),
    }
}

/// The words of a command as a POSIX shell would split them, with its quotes and backslashes and nothing else: no shell
/// runs, no variable and no pattern is expanded. `None`: a quote is left open, or a backslash ends the text.
#[must_use]
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => loop {
                let quoted = word.get_or_insert_default();
                match signs.next()? {
                    '\'' => break,
                    sign => quoted.push(sign),
                }
            },
            '"' => loop {
                let quoted = word.get_or_insert_default();
                match signs.next()? {
                    '"' => break,
                    '\\' => match signs.next()? {
                        sign @ ('"' | '\\' | '$' | '`') => quoted.push(sign),
                        '\n' => {}
                        sign => quoted.extend(['\\', sign]),
                    },
                    sign => quoted.push(sign),
                }
            },
            '\\' => match signs.next()? {
                '\n' => {}
                sign => word.get_or_insert_default().push(sign),
            },
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words: &[&str]) {
        assert_eq!(split(text).unwrap(), words, "{text}");
    }

    #[test]
    fn words_are_split_as_a_shell_would() {
        check("a  b\tc\n", &["a", "b", "c"]);
        check("", &[]);
        check("a '' \"\"", &["a", "", ""]);
        check(r#"sh -c 'echo "x y"'"#, &["sh", "-c", r#"echo "x y""#]);
        check(r#"a\ b "c \" \n" 'd\'"#, &["a b", r#"c " \n"#, r"d\"]);
        check(r#"x'y'"z"w"#, &["xyzw"]);
        check("a $HOME * `b`", &["a", "$HOME", "*", "`b`"]);
        check("a\\\nb", &["ab"]);
    }

    #[test]
    fn an_open_quote_is_no_command() {
        for text in ["'a", "\"a", "a\\", "\"a\\"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
