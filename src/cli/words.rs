//! Options that hold a command.

use super::Stop;
use crate::judge::Code;

/// The words of a command as a shell would split them, without running one.
///
/// # Errors
/// It is empty, or a quote stays open.
pub(super) fn words(option: &str, text: &str) -> Result<Vec<String>, Stop> {
    let bad = || {
        Stop::new(Code::BadOption, format!("--on-final `{text}` can't be split into words; is a quote open?"))
    };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            sign if sign.is_whitespace() => words.extend(word.take()),
            '\\' => word.get_or_insert_default().push(signs.next().ok_or_else(bad)?),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match signs.next().ok_or_else(bad)? {
                        '\'' => break,
                        sign => word.push(sign),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match signs.next().ok_or_else(bad)? {
                        '"' => break,
                        '\\' => match signs.next().ok_or_else(bad)? {
                            sign @ ('"' | '\\' | '$' | '`') => word.push(sign),
                            sign => word.extend(['\\', sign]),
                        },
                        sign => word.push(sign),
                    }
                }
            }
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    if words.is_empty() {
        return Err(Stop::new(Code::BadOption, format!("{option} names no command")));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_a_shell_splits_them() {
        let check = |text: &str, want: &[&str]| assert_eq!(words("--x", text).unwrap(), want, "{text}");
        check("a  b\tc", &["a", "b", "c"]);
        check("'a b' \"c d\" e\\ f", &["a b", "c d", "e f"]);
        check(r#"a'b'"c" '' "\"\\\n""#, &["abc", "", "\"\\\\n"]);
        for bad in ["", " ", "'a", "\"a", "a\\", "\"a\\"] {
            assert_eq!(words("--x", bad).map_err(|stop| stop.code), Err(Code::BadOption), "{bad:?}");
        }
    }
}
