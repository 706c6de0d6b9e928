//! Consoles of the corpus beside the structured report of the same run: they agree.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests say what went wrong by panicking")]

use std::convert::Infallible;
use std::path::Path;

use redgreen::judge::{Code, Expectations, Reading, Run, WitnessStanding, green, red, witness_standing};
use redgreen::observe::facts::{Ended, WitnessFacts, WitnessFound};
use redgreen_parsers::witness::{Account, account, forget_lines};
use redgreen_parsers::{Format, Options, Stream, read};
use rstest::rstest;

#[rstest]
fn console_and_trx_of_one_run(#[files("corpus/dotnet/*/*/artifacts/report.trx")] trx: std::path::PathBuf) {
    let dotnet = Format::find("dotnet").unwrap();
    let grammar = dotnet.grammar().witness.as_ref().unwrap();
    let options = Options::default();
    let bytes = std::fs::read(&trx).unwrap();
    let replay = |feed: &mut dyn FnMut(&[u8])| {
        feed(&bytes);
        Ok::<(), Infallible>(())
    };
    let Ok(Account::Reports(mut reports)) = account(dotnet, grammar, &options, "", replay) else {
        panic!("not read")
    };
    reports.iter_mut().for_each(forget_lines);

    let folder = trx.parent().and_then(Path::parent).unwrap();
    let readings = [Reading { format: dotnet, reports: console(dotnet, folder) }];
    let recording: toml::Table =
        std::fs::read_to_string(folder.join("recording.toml")).unwrap().parse().unwrap();
    let code = recording["exit_code"].as_integer().unwrap();
    let ended = Ended::Exit(i32::try_from(code).unwrap());
    let facts = WitnessFacts {
        kind: Some("trx".to_owned()),
        arguments: Vec::new(),
        sha256: None,
        found: WitnessFound::Reports { console: dotnet, reports },
    };
    let alone = Run { ended: Some(&ended), readings: &readings, foreign: &[], witness: None };
    let beside = Run { witness: Some(&facts), ..alone };
    for judge in [red, green] {
        let (without, with) =
            (judge(&alone, &Expectations::default()), judge(&beside, &Expectations::default()));
        assert_eq!(witness_standing(&facts, &with), WitnessStanding::Agrees, "{with:#?}");
        assert!(!with.problems.iter().any(|problem| problem.code == Code::WitnessDisagrees));
        assert!(with.accepted() || !without.accepted(), "{with:#?}");
    }
}

fn console(format: Format, folder: &Path) -> Vec<redgreen_parsers::Report> {
    let streams = [("stdout", Stream::Out), ("stderr", Stream::Err), ("merged", Stream::Merged)];
    let done = read(format, &Options::default(), |feed| {
        for (name, stream) in streams {
            feed.push(&std::fs::read(folder.join(name)).unwrap_or_default(), stream);
        }
        Ok::<(), Infallible>(())
    });
    match done {
        Ok(reports) => reports,
        Err(never) => match never {},
    }
}
