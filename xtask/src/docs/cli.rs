//! The page of all commands and options, from their definition.

use std::fmt::Write as _;

use clap::{Arg, Command};

use super::GENERATED;

/// The page as Markdown.
pub(super) fn page(mut command: Command) -> String {
    command.build();
    let mut text =
        format!("{GENERATED}# Commands\n\nExit codes are on a [page of their own](exit-codes.md).\n");
    let everywhere: Vec<&Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).collect();
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help" && !sub.is_hide_set()) {
        let _ = write!(text, "\n## {} {}\n\n{}\n", command.get_name(), sub.get_name(), about(sub));
        let own = |arg: &&Arg| !everywhere.iter().any(|global| global.get_id() == arg.get_id());
        table(&mut text, sub.get_arguments().filter(own));
    }
    text += "\n## Everywhere\n";
    table(&mut text, everywhere.into_iter());
    text
}

fn about(command: &Command) -> String {
    command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default()
}

fn table<'a>(text: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let mut rows = arguments.filter(|arg| !arg.is_hide_set() && !is_help(arg)).peekable();
    if rows.peek().is_some() {
        *text += "\n| option | meaning |\n|---|---|\n";
    }
    for arg in rows {
        let _ = writeln!(text, "| `{}` | {} |", cell(&shown(arg)), cell(&meaning(arg)));
    }
}

fn is_help(arg: &Arg) -> bool {
    matches!(arg.get_id().as_str(), "help" | "version")
}

fn shown(arg: &Arg) -> String {
    let mut names = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let values: Vec<String> =
        arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let many = if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { "…" } else { "" };
    let takes = arg.get_action().takes_values() && !values.is_empty();
    let values = if takes { format!("{}{many}", values.join(" ")) } else { String::new() };
    format!("{} {values}", names.join(", ")).trim().to_owned()
}

fn meaning(arg: &Arg) -> String {
    let mut text = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    if !arg.get_action().takes_values() || arg.is_hide_possible_values_set() {
        return text;
    }
    let values: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if !values.is_empty() {
        let _ = write!(text, "; one of {}", values.join(", "));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() {
        let _ = write!(text, "; default: {}", defaults.join(", "));
    }
    text.trim_start_matches("; ").to_owned()
}

fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_options_and_their_values_are_shown() {
        let command = Command::new("verify")
            .arg(Arg::new("plan").long("plan").global(true).value_name("FILE").help("The plan"))
            .subcommand(
                Command::new("parse").about("Reads an output").args([
                    Arg::new("as")
                        .long("as")
                        .value_name("FORMAT")
                        .value_parser(["tap", "auto"])
                        .default_value("auto"),
                    Arg::new("quiet").short('q').long("quiet").action(clap::ArgAction::SetTrue).help("a | b"),
                    Arg::new("file").value_name("FILE").num_args(0..).help("What to read"),
                ]),
            )
            .subcommand(Command::new("secret").hide(true));
        let text = page(command);
        for row in [
            "## verify parse\n\nReads an output\n",
            "| `--as FORMAT` | one of tap, auto; default: auto |",
            "| `-q, --quiet` | a \\| b |",
            "| `FILE…` | What to read |",
            "## Everywhere\n\n| option | meaning |\n|---|---|\n| `--plan FILE` | The plan |\n",
        ] {
            assert!(text.contains(row), "{row:?} is not in {text}");
        }
        assert!(
            !text.contains("secret") && text.matches("--plan").count() == 1 && !text.contains("help"),
            "{text}"
        );
    }
}
