//! Parents and their parts: a parent is never better than its worst part.

use std::collections::BTreeMap;

use super::{Judged, Reason, Status};
use crate::judge::Code;

/// A task on the ladder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rung {
    /// Its name.
    pub name: String,
    /// What its claim is worth by itself; `None`: there is no claim.
    pub status: Option<Status>,
    /// The names of its parts.
    pub children: Vec<String>,
}

/// What a rung is worth with all below it, and which rung it is that broke.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Worth {
    status: Status,
    broken: Option<String>,
    why: String,
}

/// Lowers every claim to what its parts allow. `judged` is by name; a part without a claim leaves its parent pending,
/// and so does a circle, which breaks at the rung where it closes.
pub fn ladder(rungs: &[Rung], judged: &mut BTreeMap<&str, &mut Judged>) {
    let at: BTreeMap<&str, usize> =
        rungs.iter().enumerate().map(|(at, rung)| (rung.name.as_str(), at)).collect();
    let children: Vec<Vec<Option<usize>>> = rungs
        .iter()
        .map(|rung| rung.children.iter().map(|child| at.get(child.as_str()).copied()).collect())
        .collect();
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); rungs.len()];
    let mut waits: Vec<usize> = vec![0; rungs.len()];
    for (parent, children) in children.iter().enumerate() {
        for child in children.iter().flatten() {
            waits[parent] += 1;
            parents[*child].push(parent);
        }
    }
    // From the parts up: what is never reached this way stands on a circle, or above one.
    let mut worth: Vec<Option<Worth>> = vec![None; rungs.len()];
    let mut ready: Vec<usize> = (0..rungs.len()).filter(|rung| waits[*rung] == 0).collect();
    while let Some(at) = ready.pop() {
        worth[at] = Some(weigh(&rungs[at], &children[at], &worth, rungs));
        for parent in &parents[at] {
            waits[*parent] -= 1;
            if waits[*parent] == 0 {
                ready.push(*parent);
            }
        }
    }
    let closing = closings(&children, &worth);
    for (at, rung) in rungs.iter().enumerate() {
        let mut found = weigh(rung, &children[at], &worth, rungs);
        if let Some(closing) = closing[at] {
            let name = &rungs[closing].name;
            let own = rung.status.unwrap_or(Status::Pending);
            if found.broken.is_none() || found.status <= Status::Pending {
                found = Worth {
                    status: found.status.max(own).max(Status::Pending),
                    broken: Some(name.clone()),
                    why: format!("its parts form a circle that closes at `{name}`"),
                };
            }
        }
        lower(rung, &found, judged);
    }
}

fn lower(rung: &Rung, found: &Worth, judged: &mut BTreeMap<&str, &mut Judged>) {
    let (Some(broken), Some(judged)) = (&found.broken, judged.get_mut(rung.name.as_str())) else { return };
    judged.broken_rung = Some(broken.clone());
    if found.status > judged.status {
        judged.reject(Reason { code: Code::ChildNotDone, message: found.why.clone(), at_best: found.status });
    }
}

/// What a rung is worth whose parts are weighed; those that aren't yet are passed over.
fn weigh(rung: &Rung, children: &[Option<usize>], worth: &[Option<Worth>], rungs: &[Rung]) -> Worth {
    let own = rung.status.unwrap_or(Status::Pending);
    let mut found = Worth { status: own, broken: None, why: String::new() };
    let mut worst = Status::DoneClean;
    for (child, name) in children.iter().zip(&rung.children) {
        let (status, broken, why) = match child {
            None => (Status::Pending, name.clone(), format!("its part `{name}` has no claim")),
            Some(at) => {
                let Some(below) = &worth[*at] else { continue };
                let broken = below.broken.clone().unwrap_or_else(|| name.clone());
                let why = match (&below.broken, rungs[*at].status) {
                    (Some(broken), _) => format!("`{broken}`, below its part `{name}`, isn't done"),
                    (None, None) => format!("its part `{name}` has no claim"),
                    (None, Some(_)) => format!("its part `{name}` is {}", below.status.word()),
                };
                (below.status, broken, why)
            }
        };
        if status > worst {
            worst = status;
            found.broken = Some(broken);
            found.why = why;
        }
    }
    found.status = own.max(worst);
    found
}

/// For each rung on a circle or above one, the rung at which the way down comes back to where it was.
fn closings(children: &[Vec<Option<usize>>], worth: &[Option<Worth>]) -> Vec<Option<usize>> {
    // Of a rung that isn't weighed at least one part isn't either: following the first such part, every way ends in a
    // circle.
    let next = |at: usize| children[at].iter().flatten().copied().find(|child| worth[*child].is_none());
    let mut closing: Vec<Option<usize>> = vec![None; children.len()];
    let mut on_way = vec![usize::MAX; children.len()];
    for start in (0..children.len()).filter(|at| worth[*at].is_none()) {
        let mut way = Vec::new();
        let mut at = start;
        while closing[at].is_none() && on_way[at] != start {
            on_way[at] = start;
            way.push(at);
            match next(at) {
                Some(child) => at = child,
                None => break,
            }
        }
        let known = closing[at];
        let circle = way.iter().position(|rung| *rung == at).filter(|_| known.is_none());
        for (place, rung) in way.iter().enumerate() {
            // Below the first rung that comes again each rung is where its own way closes.
            closing[*rung] = Some(match (known, circle) {
                (None, Some(first)) if place >= first => *rung,
                (Some(known), _) => known,
                _ => at,
            });
        }
    }
    closing
}
