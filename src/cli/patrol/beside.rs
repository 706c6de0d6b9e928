//! What is said in the decisions log: of claims, and of what lies beside them.

use std::collections::BTreeMap;

use crate::digest::Sha256;
use crate::judge::Code;
use crate::judge::patrol::{Reason, overlaps};
use crate::observe::claims::{ClaimFile, Found};
use crate::record::patrol::Decision;
use crate::record::wire::ClaimProblem;

/// The log's lines for the causes of one claim: one a code.
pub(super) fn said(name: &str, file: &ClaimFile, reasons: &[Reason]) -> Vec<Decision> {
    let mut lines: BTreeMap<Code, Vec<&str>> = BTreeMap::new();
    for reason in reasons {
        lines.entry(reason.code).or_default().push(&reason.message);
    }
    let line = |(code, messages): (Code, Vec<&str>)| Decision {
        code,
        what: "reopened",
        file: name.to_owned(),
        sha256: Some(file.sha256),
        message: messages.join("; "),
    };
    lines.into_iter().map(line).collect()
}

/// What is wrong beside the claims.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) problems: Vec<ClaimProblem>,
    pub(super) by_session: BTreeMap<String, Vec<ClaimProblem>>,
    pub(super) decisions: Vec<Decision>,
}

impl Beside {
    pub(super) fn of(found: &Found) -> Self {
        let mut beside = Self::default();
        for overlap in overlaps(&found.scopes) {
            let (one, two) = &overlap.owned;
            let message = format!("`{}` owns `{one}` and `{}` owns `{two}`", overlap.first, overlap.second);
            let file = format!("scope-{}.json, scope-{}.json", overlap.first, overlap.second);
            beside.add(Code::ScopeOverlap, file, None, message, &[&overlap.first, &overlap.second]);
        }
        for question in found.questions.iter().filter(|question| !question.answered) {
            let message = format!("`{}` asks: {}", question.session, question.text);
            let file = format!("worker-blocked-{}.json", question.session);
            beside.add(Code::Unanswered, file, Some(question.sha256), message, &[&question.session]);
        }
        for (file, why) in &found.unreadable {
            let file = file.to_string_lossy().into_owned();
            beside.add(Code::Unparseable, file.clone(), None, format!("`{file}` can't be read: {why}"), &[]);
        }
        beside
    }

    fn add(
        &mut self,
        code: Code,
        file: String,
        sha256: Option<Sha256>,
        message: String,
        sessions: &[&String],
    ) {
        let problem = ClaimProblem { code: code.word().to_owned(), message: message.clone() };
        for session in sessions {
            self.by_session.entry((*session).clone()).or_default().push(problem.clone());
        }
        self.problems.push(problem);
        self.decisions.push(Decision { code, what: "noted", file, sha256, message });
    }
}
