//! Is a spec already satisfied? A judge that plays every part, and what is derived from what it says.

mod answers;
mod filter;
mod judges;
mod negatives;
mod written;

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, Run};

const SPEC: &str = "# App\n## Features\n- Export as CSV\n- Import\n";

/// A judge: it counts its calls, keeps its prompt, and plays the part that its argument names.
const JUDGE: &str = r#"
cd "$(dirname "$0")"
echo called >> calls
cat > prompt
case $1 in
  answer) cat answer ;;
  prose) echo "Here it is: "; cat answer; echo "Anything else?" ;;
  nothing) ;;
  words) echo "It is all done." ;;
  half) head -c 20 answer ;;
  bytes) printf '{"verdict":"done","summary":"\377","requirements":[]}' ;;
  huge) cat answer; head -c 5000000 /dev/zero ;;
  slow) cat answer; exec tail -f /dev/null ;;
  crash) cat answer; kill -9 $$ ;;
  fails) cat answer; exit 1 ;;
  stderr) cat answer >&2 ;;
  breaks) cat answer; echo broken > "$2/greet.sh" ;;
  logs) cat answer; echo log > "$2/judge.log" ;;
esac
"#;

/// A project with a spec, code, and a sign that it was completed before; and a judge beside it.
pub struct Case {
    pub project: Project,
    pub judge: Project,
}

impl Case {
    /// Without a plan: there is no suite.
    pub fn new() -> Self {
        let project = Project::bare();
        project.write("SPEC.md", SPEC);
        project.write("src/app.py", "def export(): pass\n\ndef import_(): pass\n");
        project.write("prior.json", r#"{"outcome":"complete"}"#);
        let judge = Project::bare();
        judge.write("judge.sh", JUDGE);
        let case = Self { project, judge };
        case.says("done", &[("Export as CSV", "met", "src/app.py:1"), ("import", "met", "src/app.py:3")]);
        case
    }

    /// With a suite that passes.
    pub fn green() -> Self {
        let case = Self::new();
        case.project.files(crate::loops::SHELL);
        case.project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
        case
    }

    /// With a suite that fails.
    pub fn red() -> Self {
        let case = Self::green();
        case.project.write("greet.sh", "greet() { echo; }\n");
        case
    }

    /// What the judge will answer.
    pub fn says(&self, verdict: &str, requirements: &[(&str, &str, &str)]) {
        let requirements: Vec<_> = requirements
            .iter()
            .map(|(title, status, evidence)| json!({"title": title, "status": status, "evidence": evidence}))
            .collect();
        let answer = json!({"verdict": verdict, "summary": "all is well", "requirements": requirements});
        self.judge.write("answer", &answer.to_string());
    }

    pub fn calls(&self) -> usize {
        fs::read_to_string(self.judge.at("calls")).unwrap_or_default().lines().count()
    }

    /// The words of a request, with the judge playing a part.
    pub fn words(&self, part: &str, more: &str) -> Vec<String> {
        let judge = format!(
            "sh '{}' {part} '{}'",
            self.judge.at("judge.sh").display(),
            self.project.path().display()
        );
        let fixed = "recognize --spec SPEC.md --prior prior.json --manifest out/manifest.json \
            --completion out/completion.json --summary out/summary.md";
        let mut words: Vec<String> = fixed.split_whitespace().map(str::to_owned).collect();
        words.extend(["--judge".to_owned(), judge]);
        words.extend(more.split_whitespace().map(str::to_owned));
        if !more.contains("--action") {
            words.extend(["--action".to_owned(), "reuse".to_owned()]);
        }
        words
    }

    pub fn ask(&self, part: &str, more: &str) -> Run {
        Run::of(self.project.command(self.words(part, more)))
    }

    /// The answer as JSON, which must leave with this code and give this reason.
    #[track_caller]
    pub fn answer(&self, part: &str, more: &str, code: i32, reason: &str) -> Value {
        let value = self.ask(part, &format!("{more} --format json")).exits(code).value();
        assert_eq!(value["reason"], reason, "{value:#}");
        let verdict = ["done", "incomplete", "", "inconclusive"][usize::try_from(code).unwrap()];
        assert_eq!(value["verdict"], verdict);
        value
    }

    pub fn written(&self) -> String {
        let names = ["manifest.json", "completion.json", "summary.md"];
        let there = names.iter().filter(|name| self.project.at("out").join(name).exists());
        there.copied().collect::<Vec<_>>().join(" ")
    }
}
