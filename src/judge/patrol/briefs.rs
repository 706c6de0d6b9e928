//! Which brief belongs to which claim, and which task is part of which.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Rung, Status};
use crate::observe::facts::claims::{Brief, Scope};

/// What was asked for, by the names that it was asked under.
#[derive(Debug, Default)]
pub struct Briefs {
    by_name: BTreeMap<String, Brief>,
    by_session: BTreeMap<String, String>,
    scopes: BTreeMap<String, Vec<String>>,
}

/// A claim as the ladder knows it.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The name of its file, without the end.
    pub name: &'a str,
    /// The session that it names.
    pub session: Option<&'a str>,
    /// What it is worth by itself.
    pub status: Status,
}

impl Briefs {
    /// These briefs, by the name of their file, and these scopes.
    pub fn new(briefs: impl IntoIterator<Item = (String, Brief)>, scopes: &[Scope]) -> Self {
        let mut all = Self::default();
        for (name, brief) in briefs {
            if let Some(session) = &brief.session {
                all.by_session.entry(session.clone()).or_insert_with(|| name.clone());
            }
            all.by_name.insert(name, brief);
        }
        for scope in scopes {
            all.scopes.entry(scope.session.clone()).or_default().extend(scope.files_owned.iter().cloned());
        }
        all
    }

    /// What a claim was asked for: by the brief of its name, or of its session. What a brief doesn't say of owned files
    /// the session's scope does; a scope alone is a brief without a base.
    #[must_use]
    pub fn of(&self, name: &str, session: Option<&str>) -> Option<Cow<'_, Brief>> {
        let short = short(name);
        let brief = self.name_of(name, session).and_then(|name| self.by_name.get(name));
        let sessions = [session, Some(name), Some(short), session.map(self::short)];
        let asked = brief.and_then(|brief| brief.session.as_deref());
        let scope =
            sessions.into_iter().chain([asked]).flatten().find_map(|session| self.scopes.get(session));
        match (brief, scope) {
            (Some(brief), Some(owned)) if brief.files_owned.is_empty() && brief.violations.is_empty() => {
                Some(Cow::Owned(Brief { files_owned: owned.clone(), ..brief.clone() }))
            }
            (Some(brief), _) => Some(Cow::Borrowed(brief)),
            (None, Some(owned)) => Some(Cow::Owned(Brief { files_owned: owned.clone(), ..Brief::default() })),
            (None, None) => None,
        }
    }

    fn name_of<'a>(&'a self, name: &'a str, session: Option<&str>) -> Option<&'a str> {
        let by_name = [name, short(name)].into_iter().find(|name| self.by_name.contains_key(*name));
        let by_session = || {
            let sessions = [session, Some(name), Some(short(name))];
            sessions
                .into_iter()
                .flatten()
                .find_map(|session| self.by_session.get(session))
                .map(String::as_str)
        };
        by_name.or_else(by_session)
    }

    /// The ladder of these claims and of what was asked for and not claimed.
    #[must_use]
    pub fn rungs(&self, claims: &[Named<'_>]) -> Vec<Rung> {
        let mut rungs: Vec<Rung> = Vec::new();
        let mut briefs: Vec<Option<&Brief>> = Vec::new();
        let mut taken = BTreeSet::new();
        // What a task is called by others: its own name first, shorter ones where they are free.
        let mut names: BTreeMap<&str, usize> =
            claims.iter().enumerate().map(|(at, claim)| (claim.name, at)).collect();
        for claim in claims {
            let brief = self.name_of(claim.name, claim.session);
            taken.extend(brief);
            briefs.push(brief.and_then(|name| self.by_name.get(name)));
            rungs.push(Rung {
                name: claim.name.to_owned(),
                status: Some(claim.status),
                children: Vec::new(),
            });
        }
        for (name, brief) in self.by_name.iter().filter(|(name, _)| !taken.contains(name.as_str())) {
            names.entry(name).or_insert(rungs.len());
            briefs.push(Some(brief));
            rungs.push(Rung { name: name.clone(), status: None, children: Vec::new() });
        }
        for (at, brief) in briefs.iter().enumerate() {
            let session = brief.and_then(|brief| brief.session.as_deref());
            let claim = claims.get(at);
            let name = claim.map(|claim| (claim.name, claim.session));
            let of_brief = claim.and_then(|claim| self.name_of(claim.name, claim.session));
            let own = name.map(|(name, _)| short(name));
            for name in [of_brief, own, name.and_then(|(_, session)| session), session].into_iter().flatten()
            {
                names.entry(name).or_insert(at);
            }
        }
        for (at, brief) in briefs.iter().enumerate() {
            let Some(brief) = brief else { continue };
            for child in &brief.children {
                let name =
                    names.get(child.as_str()).map_or(child.clone(), |child| rungs[*child].name.clone());
                rungs[at].children.push(name);
            }
            if let Some(parent) = brief.parent.as_deref().and_then(|parent| names.get(parent)) {
                let name = rungs[at].name.clone();
                rungs[*parent].children.push(name);
            }
        }
        for rung in &mut rungs {
            rung.children.sort_unstable();
            rung.children.dedup();
        }
        rungs
    }
}

/// A name without what tells the dialect.
fn short(name: &str) -> &str {
    ["worker-", "oracle-"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}
