//! TAP: by shell scripts that print it, and by perl's Test::More under prove.

use super::projects::{GREETS, freeze, shell, shell_files, with_line};
use super::{Row, row};
use crate::loops::PROVE;
use crate::support::{Project, runners};

/// Judges a row by a product that prints this when it is loaded, and leaves with 0.
#[track_caller]
fn prints(row: &Row, text: &str) {
    let project = shell("sh tests/greet.sh", "");
    project.write("greet.sh", &format!("cat <<'END'\n{text}\nEND\nexit 0\n"));
    row.judges(&project);
}

/// Judges a row by a test that prints this after what it prints else, with the product right.
#[track_caller]
fn goes_on(row: &Row, line: &str, more: &str) {
    let files = shell_files("sh tests/greet.sh", "")
        .replace("then echo \"ok 1 - greets by name\"", &format!("then {more}"));
    let project = freeze(Project::git(&with_line(&files, line)));
    project.write("greet.sh", GREETS);
    row.judges(&project);
}

const OK: &str = "ok 1 - greets by name";

#[test]
fn no_plan() {
    prints(row("no_plan"), OK);
}

#[test]
fn plan_at_the_end() {
    let test = ">> tests/greet.sh\n. ./greet.sh\nif [ \"$(greet ada)\" = \"hello ada\" ]; then echo \"ok 1 - greets by name\"; echo 1..1; else\n\
                echo \"not ok 1 - greets by name\"; echo '  ---'; echo '  operator: equal'; echo '  ...'; echo 1..1; exit 1; fi\n";
    let project = shell("sh tests/greet.sh", test);
    project.write("greet.sh", GREETS);
    row("plan_at_the_end").judges(&project);
}

#[test]
fn plan_unlike_the_count() {
    prints(row("plan_unlike_the_count"), &format!("1..3\n{OK}"));
}

#[test]
fn bail_out() {
    prints(row("bail_out"), &format!("1..1\n{OK}\nBail out! no database"));
}

#[test]
fn bail_out_in_a_name() {
    let more = "echo \"ok 1 - greets by name\"; echo '# Bail out! is what we test'";
    goes_on(row("bail_out_in_a_name"), "", more);
}

#[test]
fn failure_below_a_pass() {
    prints(
        row("failure_below_a_pass"),
        &format!("1..1\n# Subtest: greets by name\n    not ok 1 - inner\n    1..1\n{OK}"),
    );
}

#[test]
fn passes_below_a_pass() {
    let more =
        "printf '# Subtest: greets by name\\n    ok 1 - inner\\n    1..1\\n'; echo \"ok 1 - greets by name\"";
    goes_on(row("passes_below_a_pass"), "", more);
}

#[test]
fn todo_that_passes() {
    prints(row("todo_that_passes"), &format!("1..1\n{OK} # TODO later"));
}

#[test]
fn todo_in_a_trailer() {
    let more = "echo \"ok 1 - greets by name\"; echo '# tests 1'; echo '# pass 1'; echo '# fail 0'; echo '# skipped 0'; echo '# todo 0'";
    goes_on(row("todo_in_a_trailer"), "", more);
}

#[test]
fn skip_directive() {
    prints(row("skip_directive"), &format!("1..1\n{OK} # SKIP no network"));
}

#[test]
fn skip_of_everything() {
    prints(row("skip_of_everything"), "1..0 # SKIP not here");
}

#[test]
fn skips_that_are_approved() {
    let files = shell_files("sh tests/greet.sh", "")
        .replace("echo \"1..1\"", "echo \"1..2\"; echo \"ok 1 - network # SKIP none here\"")
        .replace("ok 1 - greets", "ok 2 - greets");
    let project = freeze(Project::git(&with_line(&files, "approved_skip_reason = \"there is no network\"")));
    project.write("greet.sh", GREETS);
    row("skips_that_are_approved").judges(&project);
}

#[test]
fn results_after_the_plan() {
    prints(row("results_after_the_plan"), &format!("{OK}\n1..1\nok 2 - one more"));
}

#[test]
fn second_plan() {
    prints(row("second_plan"), &format!("1..1\n{OK}\n1..1\n{OK}"));
}

#[test]
fn output_after_the_plan() {
    goes_on(
        row("output_after_the_plan"),
        "",
        "echo \"ok 1 - greets by name\"; echo 'all done, 1..2 or so; not ok?'",
    );
}

#[test]
fn failure_with_exit_zero() {
    prints(row("failure_with_exit_zero"), "1..1\nnot ok 1 - greets by name");
}

#[test]
fn tap_on_standard_error() {
    let project = shell("sh tests/greet.sh", "");
    project.write("greet.sh", &format!("printf '1..1\\n{OK}\\n' >&2\nexit 0\n"));
    row("tap_on_standard_error").judges(&project);
}

#[test]
fn diagnostics_on_standard_error() {
    let more = "echo \"ok 1 - greets by name\"; echo '# greeted ada' >&2; echo 'not ok 7 - an old log' >&2";
    goes_on(row("diagnostics_on_standard_error"), "", more);
}

/// A project of Perl, frozen.
fn perl(more: &str) -> Option<Project> {
    let prove = runners::prove()?;
    Some(freeze(Project::git(&(PROVE.replace("PROVE", &prove) + more))))
}

/// Judges a row by a Perl product that is written this way.
#[track_caller]
fn module(row: &Row, body: &str) {
    if let Some(project) = perl("") {
        project.write("lib/Adder.pm", &format!("package Adder;\n{body}\n1;\n"));
        row.judges(&project);
    }
}

#[test]
fn perl_exit_zero() {
    module(row("perl_exit_zero"), "sub add { exit 0 }");
}

#[test]
fn perl_skips_the_rest() {
    module(
        row("perl_skips_the_rest"),
        "use Test::More; sub add { Test::More->builder->skip('no') for 1..2; exit 0 }",
    );
}

#[test]
fn perl_child_that_exits() {
    module(
        row("perl_child_that_exits"),
        "sub add { my $child = fork; exit 0 unless $child; waitpid $child, 0; $? = 0; return $_[0] + $_[1] }",
    );
}

#[test]
fn perl_options_by_environment() {
    let Some(project) = perl(
        ">> evil/Evil.pm\npackage Evil;\nuse Test::More;\nno warnings;\n*Test::More::is = sub { Test::More::ok(1, $_[2]) };\n1;\n",
    ) else {
        return;
    };
    let (options, path) = ("-MEvil", project.at("evil").display().to_string());
    row("perl_options_by_environment").judges_with(&project, &[("PERL5OPT", options), ("PERL5LIB", &path)]);
}

#[test]
fn perl_that_is_right() {
    let Some(project) = perl("") else { return };
    project.write("lib/Adder.pm", "package Adder;\nsub add { return $_[0] + $_[1] }\n1;\n");
    row("perl_that_is_right").judges_with(&project, &[("PERL_HASH_SEED", "0")]);
}

#[test]
fn version_pragma_and_blocks() {
    let files = shell_files("sh tests/greet.sh", "")
        .replace("echo \"1..1\"", "echo 'TAP version 14'; echo 'pragma +strict'; echo \"1..1\"")
        .replace(
            "then echo \"ok 1 - greets by name\"",
            "then printf 'ok 1 - greets by name\\n  ---\\n  duration_ms: 1\\n  ...\\n'",
        );
    let project = freeze(Project::git(&files));
    project.write("greet.sh", GREETS);
    row("version_pragma_and_blocks").judges(&project);
}

#[test]
fn lines_that_end_like_on_windows() {
    goes_on(row("lines_that_end_like_on_windows"), "", "printf 'ok 1 - greets by name\\r\\n'");
}
