//! What a judge is asked.

use super::{SHOWN, Spec};

/// How much of the checks' results a judge is shown, in signs.
const TESTS: usize = 4_000;

/// How much of each earlier claim a judge is shown, in signs.
const PRIOR: usize = 2_000;

/// The shape of an answer.
const SHAPE: &str = r#"{
  "verdict": "done" | "incomplete" | "inconclusive",
  "summary": "one sentence for the user",
  "tests": {"passed": 0, "total": 0, "green": true},
  "requirements": [
    {"id": "R1", "title": "as listed below", "status": "met" | "unmet" | "uncertain", "evidence": "path[:line[-line]]"}
  ]
}"#;

/// The prompt: the task, the shape of an answer, the spec, what the checks said just now, and what was claimed before.
#[must_use]
pub fn prompt(text: &str, spec: &Spec, tests: &str, priors: &[(String, String)]) -> String {
    let mut listed = String::new();
    for (at, title) in spec.requirements.iter().enumerate() {
        listed += &format!("R{}. {title}\n", at + 1);
    }
    let mut claims = String::new();
    for (name, text) in priors {
        claims += &format!("--- {name}\n{}\n", first(text, PRIOR));
    }
    let or_none = |text: &str| if text.is_empty() { "(none)\n".to_owned() } else { text.to_owned() };
    format!(
        "Decide whether the code in this folder already satisfies the spec below. Change no file.\n\
         For each requirement, look at the code itself, and say whether it is met now. If you are not sure, say uncertain: \
         a wrong \"met\" leaves work undone, a wrong \"uncertain\" costs a little time.\n\
         Cite the file and the lines that show it, relative to this folder. What was claimed before is no evidence.\n\n\
         Answer with one JSON object and nothing else:\n{SHAPE}\n\
         \"done\" means that every requirement is met and the checks are green.\n\n\
         === REQUIREMENTS: answer for each, by its title\n{}\n\
         === SPEC\n{}\n\n\
         === CHECKS, run just now\n{}\n\n\
         === CLAIMED BEFORE, possibly stale: don't trust it\n{}",
        or_none(&listed),
        first(text, SHOWN),
        first(tests, TESTS),
        or_none(&claims),
    )
}

/// The first signs of a text.
fn first(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| text.get(..at).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::super::read_spec;
    use super::*;

    #[test]
    fn everything_is_shown_up_to_its_limit() {
        let text = format!("## Features\n- Export\n{}", "ä".repeat(SHOWN));
        let prior = ("completion.json".to_owned(), "p".repeat(PRIOR + 1));
        let prompt = prompt(&text, &read_spec(&text), &"t".repeat(TESTS + 1), &[prior]);
        let count = |sign| prompt.chars().filter(|other| *other == sign).count();
        assert_eq!(count('ä') + "## Features\n- Export\n".len(), SHOWN);
        assert!(prompt.contains(&"t".repeat(TESTS)) && !prompt.contains(&"t".repeat(TESTS + 1)));
        assert!(prompt.contains(&"p".repeat(PRIOR)) && !prompt.contains(&"p".repeat(PRIOR + 1)));
        assert!(prompt.contains("R1. Export\n") && prompt.contains("possibly stale"));
    }
}
