//! The one report of what prove ran: the scripts add up.

use std::collections::HashMap;

use super::comments::ByName;
use super::prove::Verdict;
use super::report::{Finished, died, no_tests, note_repeated};
use super::said::Said;
use crate::{Cases, Completeness, Format, Kind, Lines, NewCase, NoteCode, Report, Status};

/// The one report of what prove ran.
pub(super) fn framed(
    format: Format,
    mut done: Vec<Finished>,
    said: Said,
    result: Option<u32>,
    tests: Option<(u64, u32)>,
) -> Report {
    let mut report = Report::empty(format);
    "prove".clone_into(&mut report.runner.name);
    report.completeness = if result.is_some() { Completeness::Complete } else { Completeness::Truncated };
    let Said { named, deaths, ran_otherwise, exited, .. } = said;
    // Test::More exits with a code of its own where the plan doesn't hold.
    let planned_badly = ran_otherwise && exited.is_none();
    let mut by_name: ByName = named.by_name();
    done.retain(|finished| finished.script.is_some() || finished.has_tap());
    let points: u64 = done.iter().map(|finished| finished.root.points).sum();
    if let Some((stated, line)) = tests.filter(|(stated, _)| *stated != points) {
        let hint = if points == 0 { "; `-v` prints them" } else { "" };
        let message = format!("prove says {stated} tests, {points} are printed{hint}");
        report.note(NoteCode::TotalsMismatch, message, Some(Lines::one(line)));
    }
    for finished in &mut done {
        finished.note_plan();
        by_name.attach(&mut finished.root.cases);
        let Some(lines) = finished.lines else { continue };
        let script = finished.script.as_deref();
        let has_died = deaths.iter().any(|death| Some(death.file.as_str()) == script);
        if let Some(kind) = death_kind(finished, planned_badly && !has_died) {
            let mut problem = died(format, &deaths, finished.script.as_deref(), lines);
            if kind == Kind::Crash {
                problem.kind = kind;
            }
            report.problems.push(problem);
        }
        if let Some(mut bail) = finished.bail.take() {
            bail.subject = bail.subject.or_else(|| finished.script.clone());
            report.problems.push(bail);
            report.completeness = Completeness::Truncated;
        }
        report.problems.append(&mut finished.problems);
        report.notes.append(&mut finished.notes);
        report.spans.extend(finished.lines);
    }
    merge(&mut report, &done);
    // Without `-v` prove prints no test, which is not that there was none.
    let none_stated = tests.is_none_or(|(stated, _)| stated == 0);
    if report.completeness == Completeness::Complete
        && report.cases.is_empty()
        && report.problems.is_empty()
        && none_stated
        && let Some(line) = tests.map(|(_, line)| line).or(result)
    {
        report.problems.push(no_tests(None, Lines::one(line)));
    }
    note_repeated(&mut report);
    report
}

/// Puts the scripts' cases into one table. Names that two scripts share are qualified.
fn merge(report: &mut Report, done: &[Finished]) {
    let mut owners: HashMap<&str, Option<usize>> = HashMap::new();
    for (place, finished) in done.iter().enumerate() {
        for case in finished.root.cases.iter() {
            let owner = owners.entry(case.id()).or_insert(Some(place));
            if *owner != Some(place) {
                *owner = None;
            }
        }
    }
    let shared = |id: &str| owners.get(id) == Some(&None);
    for finished in done {
        let script = finished.script.as_deref().unwrap_or("");
        let skip = finished.root.plan.as_ref().and_then(|plan| plan.skip.clone());
        if let Some(reason) = finished.skipped.clone().or(skip)
            && finished.root.points == 0
            && let Some(lines) = finished.lines
        {
            let case = NewCase { id: script, name_len: script.len(), status: Status::Skipped, lines };
            let key = report.cases.push(case, |_| Vec::new());
            report.cases.set_reason(key, reason);
        }
        copy(&finished.root.cases, &mut report.cases, |id| shared(id).then_some(script));
    }
}

fn copy<'a>(from: &Cases, to: &mut Cases, qualify: impl Fn(&str) -> Option<&'a str>) {
    for case in from.iter() {
        let script = qualify(case.id());
        let id = script.map_or_else(|| case.id().to_owned(), |script| format!("{script} > {}", case.id()));
        let suite: Vec<String> =
            script.map(str::to_owned).into_iter().chain(case.suite().iter().cloned()).collect();
        let new =
            NewCase { id: &id, name_len: case.name().len(), status: case.status(), lines: case.lines() };
        let key =
            if suite.is_empty() { to.push(new, |_| Vec::new()) } else { to.push_with_suite(new, &suite) };
        for failure in case.failures() {
            to.add_failure(key, failure.clone());
        }
        if let Some(reason) = case.reason() {
            to.set_reason(key, reason);
        }
        if let Some(seconds) = case.duration_seconds() {
            to.set_duration(key, seconds);
        }
    }
}

/// Whether a script died, which neither its failed tests nor its wrong plan, if that was said, explain.
fn death_kind(finished: &Finished, planned_badly: bool) -> Option<Kind> {
    let Some(Verdict::Dubious { code, signal }) = finished.verdict else {
        let nothing = finished.nothing && finished.skipped.is_none();
        return nothing.then_some(Kind::Unknown);
    };
    if signal != 0 {
        return Some(Kind::Crash);
    }
    let objects = finished.root.objection().is_some();
    let plan_holds = finished.root.plan.is_some() && !objects;
    let failed = finished.root.cases.count(Status::Failed);
    let explained = plan_holds && failed > 0 || objects && planned_badly;
    (code != 0 && !explained).then_some(Kind::Unknown)
}
