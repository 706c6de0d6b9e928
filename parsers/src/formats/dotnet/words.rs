//! The words of the consoles, in the languages in which they were seen.

use crate::Status;

/// What a heading below a failed test announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Banner {
    Message,
    Stack,
    Output,
}

type Statuses = &'static [(&'static str, Status)];

/// Before the name in a row of VSTest's console.
const VSTEST: Statuses = &[
    ("Passed", Status::Passed),
    ("Failed", Status::Failed),
    ("Skipped", Status::Skipped),
    // VSTest 16.0 to 16.5.
    ("√", Status::Passed),
    ("V", Status::Passed),
    ("X", Status::Failed),
    ("!", Status::Skipped),
    ("Bestanden", Status::Passed),
    ("erfolgreich", Status::Passed),
    ("Fehler", Status::Failed),
    ("Übersprungen", Status::Skipped),
    ("übersprungen", Status::Skipped),
    ("Réussi", Status::Passed),
    ("Échoué", Status::Failed),
    ("Ignoré", Status::Skipped),
    ("成功", Status::Passed),
    ("失敗", Status::Failed),
    ("スキップ", Status::Skipped),
    ("已通过", Status::Passed),
    ("通过", Status::Passed),
    ("失败", Status::Failed),
    ("已跳过", Status::Skipped),
    ("跳过", Status::Skipped),
];

/// Before the name in a row of the platform's console.
const PLATFORM: Statuses = &[
    ("passed", Status::Passed),
    ("failed", Status::Failed),
    ("skipped", Status::Skipped),
    ("timed out", Status::Failed),
    ("canceled", Status::Failed),
    ("erfolgreich", Status::Passed),
    ("bestanden", Status::Passed),
    ("fehlerhaft", Status::Failed),
    ("übersprungen", Status::Skipped),
    ("réussite", Status::Passed),
    ("échec", Status::Failed),
    ("ignoré", Status::Skipped),
    ("合格しました", Status::Passed),
    ("成功", Status::Passed),
    ("失敗", Status::Failed),
    ("スキップされました", Status::Skipped),
    ("スキップ済み", Status::Skipped),
    ("已通过", Status::Passed),
    ("失败", Status::Failed),
    ("已跳过", Status::Skipped),
];

const BANNERS: &[(&str, Banner)] = &[
    ("Error Message", Banner::Message),
    ("Stack Trace", Banner::Stack),
    ("Standard Output Messages", Banner::Output),
    ("Standard Error Messages", Banner::Output),
    ("Debug Traces Messages", Banner::Output),
    ("Additional Information Messages", Banner::Output),
    ("Fehlermeldung", Banner::Message),
    ("Stapelverfolgung", Banner::Stack),
    ("Standardausgabemeldungen", Banner::Output),
    ("Message d'erreur", Banner::Message),
    ("Arborescence des appels de procédure", Banner::Stack),
    ("Messages de sortie standard", Banner::Output),
    ("エラー メッセージ", Banner::Message),
    ("スタック トレース", Banner::Stack),
    ("標準出力メッセージ", Banner::Output),
    ("错误消息", Banner::Message),
    ("堆栈跟踪", Banner::Stack),
    ("标准输出消息", Banner::Output),
];

/// Headings of what a test printed, below its row on the platform's console.
const PLATFORM_OUTPUT: &[&str] = &[
    "Standard output",
    "Error output",
    "Standardausgabe",
    "Fehlerausgabe",
    "Sortie standard",
    "Sortie d’erreur",
    "標準出力",
    "エラー出力",
];

/// The first bytes of these words.
const fn first_bytes(words: Statuses) -> [bool; 256] {
    let mut first = [false; 256];
    let mut at = 0;
    while at < words.len() {
        first[words[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
}

static VSTEST_FIRST: [bool; 256] = first_bytes(VSTEST);
static PLATFORM_FIRST: [bool; 256] = first_bytes(PLATFORM);

fn may_start(text: &[u8], first: &[bool; 256]) -> bool {
    text.first().is_some_and(|byte| first[*byte as usize])
}

/// A word at the front and what follows the blank behind it.
fn after(text: &[u8], words: Statuses) -> Option<(Status, &[u8])> {
    words.iter().find_map(|(word, status)| {
        let rest = text.strip_prefix(word.as_bytes())?.strip_prefix(b" ")?;
        Some((*status, rest))
    })
}

/// Splits `Passed name` as VSTest's console writes it.
pub(super) fn vstest(text: &[u8]) -> Option<(Status, &[u8])> {
    if let Some(rest) = text.strip_prefix(b"Passed ") {
        // The first of those words, and the usual one.
        return Some((Status::Passed, rest));
    }
    may_start(text, &VSTEST_FIRST).then(|| after(text, VSTEST)).flatten()
}

/// Splits `passed name` as the platform's console writes it.
pub(super) fn platform(text: &[u8]) -> Option<(Status, &[u8])> {
    may_start(text, &PLATFORM_FIRST).then(|| after(text, PLATFORM)).flatten()
}

/// The heading that this line is, without the blanks before it.
pub(super) fn banner(text: &[u8]) -> Option<Banner> {
    let bare = text.strip_suffix(b":").or_else(|| text.strip_suffix("：".as_bytes()))?;
    let bare = bare.strip_suffix("\u{a0}".as_bytes()).unwrap_or(bare).trim_ascii_end();
    BANNERS.iter().find(|(word, _)| word.as_bytes() == bare).map(|(_, banner)| *banner)
}

/// Whether this line, without the blanks before it, heads what a test printed.
pub(super) fn heads_output(text: &[u8]) -> bool {
    PLATFORM_OUTPUT.iter().any(|word| word.as_bytes() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_with_a_word_and_a_blank() {
        assert_eq!(vstest(b"Passed a b"), Some((Status::Passed, &b"a b"[..])));
        assert_eq!(vstest(b"Passed"), None);
        assert_eq!(vstest(b"Passed:"), None);
        assert_eq!(platform("übersprungen x".as_bytes()), Some((Status::Skipped, &b"x"[..])));
    }

    #[test]
    fn a_heading_may_have_a_blank_before_its_colon() {
        assert_eq!(banner(b"Error Message:"), Some(Banner::Message));
        assert_eq!(banner("Message d'erreur\u{a0}:".as_bytes()), Some(Banner::Message));
        assert_eq!(banner("Arborescence des appels de procédure :".as_bytes()), Some(Banner::Stack));
        assert_eq!(banner(b"Expected:"), None);
    }
}
