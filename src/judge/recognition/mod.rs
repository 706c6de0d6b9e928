//! Is this spec already satisfied? The answer is derived from what was seen; what a model says of it is a claim.
//!
//! There are three answers, and the safe one when unsure. Done is never taken from an old artifact, nor from a model's word
//! alone.

mod prompt;
mod spec;
#[cfg(test)]
mod tests;
mod title;

pub use prompt::prompt;
pub use spec::{SHOWN, Spec, read_spec};
pub use title::title_key;

/// Why the question comes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A generated spec is used again.
    Reuse,
    /// A spec of the user's is used again.
    UserOwned,
    /// The spec is older than the code: it may not end in done.
    Update,
    /// The spec is made anew: nothing can satisfy it yet.
    Generate,
}

impl Action {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reuse => "reuse",
            Self::UserOwned => "user-owned",
            Self::Update => "update",
            Self::Generate => "generate",
        }
    }
}

/// What a judge says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claim {
    /// Its own verdict; `None`: another word than those that are known.
    pub verdict: Option<Said>,
    /// One sentence.
    pub summary: String,
    /// What it says of each requirement.
    pub requirements: Vec<Requirement>,
}

/// A judge's own verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Said {
    /// Everything is there.
    Done,
    /// Something is missing.
    Incomplete,
    /// It can't say.
    Inconclusive,
}

/// What a judge says of a requirement, and whether the evidence that it cites is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Its title.
    pub title: String,
    /// What it says.
    pub status: Status,
    /// What it cites: `path[:line[-line]]`.
    pub evidence: String,
    /// Whether that is there.
    pub evidence_exists: bool,
}

/// What a judge says of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is met.
    Met,
    /// It isn't.
    Unmet,
    /// It can't say, or says something else.
    Uncertain,
}

impl Status {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Unmet => "unmet",
            Self::Uncertain => "uncertain",
        }
    }
}

/// What the checks say, run just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Suite {
    /// All were accepted.
    Green,
    /// One was rejected.
    Red,
    /// There are none.
    Absent,
}

impl Suite {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Red => "red",
            Self::Absent => "none",
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognition {
    /// Done, incomplete, or neither.
    pub verdict: Verdict,
    /// How many requirements are met.
    pub met: usize,
    /// How many there are, by the judge and by the spec's own list.
    pub total: usize,
    /// What isn't met, by title.
    pub unmet: Vec<String>,
    /// What the spec asks for and the judge says nothing of.
    pub uncovered: Vec<String>,
    /// What need not be built again: empty where tests are red.
    pub satisfied: Vec<String>,
    /// What the checks said.
    pub suite: Option<Suite>,
    /// What the judge said; `None`: it wasn't asked, or said nothing that can be read.
    pub claim: Option<Claim>,
}

/// Done, incomplete, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Everything is there.
    Done,
    /// Something is missing.
    Incomplete(Reason),
    /// It can't be said.
    Inconclusive(Reason),
}

macro_rules! reasons {
    ($($variant:ident = $word:literal, $says:literal;)*) => {
        /// Why it isn't done, or can't be said.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each says what it is in a sentence")]
        pub enum Reason { $($variant,)* }

        impl Reason {
            /// The reason as it stands in JSON.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The reason in a sentence.
            #[must_use]
            pub const fn says(self) -> &'static str {
                match self { $(Self::$variant => $says,)* }
            }
        }
    };
}

reasons! {
    NotArmed = "not_armed", "a spec that is generated anew can't be satisfied already";
    OptedOut = "opted_out", "it is switched off";
    NeverCompleted = "never_completed", "nothing says that this was ever completed: none of the prior files is there";
    JudgeNotRunnable = "judge_not_runnable", "the judge can't be run";
    SpecTooLong = "spec_too_long", "the spec has requirements beyond what a judge is shown";
    JudgeEmpty = "judge_empty", "the judge said nothing";
    JudgeUnparsable = "judge_unparsable", "the judge's answer holds no JSON of the asked shape";
    JudgeFailed = "judge_failed", "the judge failed";
    JudgeTimedOut = "judge_timed_out", "the judge took too long";
    JudgeTooMuch = "judge_too_much", "the judge said more than is read";
    JudgeUnsure = "judge_unsure", "the judge doesn't say that it is done";
    NothingListed = "nothing_listed", "the judge names no requirement";
    Uncertain = "requirement_uncertain", "a requirement is uncertain";
    NotCovered = "requirement_not_covered", "the judge says nothing of a requirement of the spec";
    EvidenceMissing = "evidence_missing", "evidence that the judge cites isn't there";
    UpdateMayNotFinish = "update_may_not_finish", "a spec that is to be updated can't say by itself that nothing is missing";
    RequirementUnmet = "requirement_unmet", "a requirement isn't met";
    TestsRed = "tests_red", "done was claimed, and the checks that ran just now are red";
}

/// What is to be judged.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// Why the question comes up.
    pub action: Action,
    /// What the spec asks for.
    pub spec: &'a Spec,
    /// What the judge says.
    pub claim: Claim,
    /// What the checks say.
    pub suite: Suite,
}

/// No judge was heard: nothing can be said.
#[must_use]
pub fn unheard(reason: Reason, spec: &Spec, suite: Option<Suite>) -> Recognition {
    Recognition {
        verdict: Verdict::Inconclusive(reason),
        met: 0,
        total: spec.requirements.len(),
        unmet: Vec::new(),
        uncovered: spec.requirements.clone(),
        satisfied: Vec::new(),
        suite,
        claim: None,
    }
}

/// Derives the answer.
#[must_use]
pub fn recognise(facts: Facts<'_>) -> Recognition {
    let Facts { action, spec, claim, suite } = facts;
    let with =
        |status: Status| claim.requirements.iter().filter(move |requirement| requirement.status == status);
    let met: Vec<_> = with(Status::Met).collect();
    let unmet: Vec<_> = with(Status::Unmet).map(|requirement| requirement.title.clone()).collect();
    let covered: Vec<_> =
        claim.requirements.iter().map(|requirement| title_key(&requirement.title)).collect();
    let uncovered: Vec<_> =
        spec.requirements.iter().filter(|title| !covered.contains(&title_key(title))).cloned().collect();
    // Without a suite nothing but the cited evidence backs the judge's word.
    let backed = |requirement: &&&Requirement| suite != Suite::Absent || requirement.evidence_exists;
    let all_backed = met.iter().filter(backed).count() == met.len();

    let objection = if claim.verdict != Some(Said::Done) {
        Some(Reason::JudgeUnsure)
    } else if claim.requirements.is_empty() {
        Some(Reason::NothingListed)
    } else if met.len() < claim.requirements.len() {
        Some(Reason::Uncertain)
    } else if !uncovered.is_empty() {
        Some(Reason::NotCovered)
    } else if !all_backed {
        Some(Reason::EvidenceMissing)
    } else {
        None
    };
    let verdict = if !unmet.is_empty() {
        Verdict::Incomplete(Reason::RequirementUnmet)
    } else if suite == Suite::Red && claim.verdict == Some(Said::Done) {
        Verdict::Incomplete(Reason::TestsRed)
    } else if let Some(objection) = objection {
        Verdict::Inconclusive(objection)
    } else if action == Action::Update {
        Verdict::Inconclusive(Reason::UpdateMayNotFinish)
    } else {
        Verdict::Done
    };
    let satisfied = match suite {
        Suite::Red => Vec::new(),
        Suite::Green | Suite::Absent => {
            let backed =
                met.iter().filter(backed).filter(|requirement| !title_key(&requirement.title).is_empty());
            backed.map(|requirement| requirement.title.clone()).collect()
        }
    };
    Recognition {
        verdict,
        met: met.len(),
        total: claim.requirements.len() + uncovered.len(),
        unmet,
        uncovered,
        satisfied,
        suite: Some(suite),
        claim: Some(claim),
    }
}

/// Whether a task is already satisfied by a title of this list.
#[must_use]
pub fn is_satisfied(title: &str, satisfied: &[String]) -> bool {
    let key = title_key(title);
    !key.is_empty() && satisfied.iter().any(|title| title_key(title) == key)
}
