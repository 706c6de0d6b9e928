//! No file below the state folder holds a secret, whatever a test, a plan or an environment says; and the loop goes on.

use std::fs;
use std::path::Path;

use crate::rules::token;
use crate::support::{Project, Run};

/// What a variable of a secret name holds, and nothing has the form of.
const VALUE: &str = "plain but private";

/// A plan with two red tests, one of them named like a token, that print all they know before they fail.
fn project() -> Project {
    let tests = r##"
>> verify.toml
version = 1
[freeze]
test_paths = ["tests/**"]
[[checks]]
id = "greeting"
command = ["sh", "tests/greet.sh", "TOKEN"]
parser = "tap"
identities = ["greets by name"]
env = { PLAN_PASSWORD = "secret of the plan" }
>> .gitignore
.verify
# TOKEN
>> greet.sh
greet() { echo "hello"; }
>> tests/greet.sh
. ./greet.sh
echo "1..2"
echo "# env $MY_API_KEY and $PLAN_PASSWORD"
printf '# -----BEGIN %sPRIVATE KEY-----\n# KEY\n# KEY\n# -----END PRIVATE KEY-----\n' "RSA "
got=$(greet ada)
if [ "$got" = "hello ada" ]; then echo "ok 1 - greets by name"; echo "ok 2 - greets $1"
else
  for n in "1 - greets by name" "2 - greets $1"; do
    echo "not ok $n"
    echo "  ---"
    echo "  operator: equal"
    echo "  expected: hello $MY_API_KEY"
    echo "  actual: $got"
    echo "  ..."
  done
  exit 1
fi
"##;
    let tests = tests.replace("TOKEN", &token()).replace("KEY\\n", &format!("{KEY}\\n"));
    Project::git(&tests.replace("# KEY", &format!("# {KEY}")))
}

const KEY: &str = "MC4CAQAwBQYDK2VwBCIEIBftnHPp22SewYmmEoMcX8VwI4IHwaqd+9LFPj/15eqF";

fn run(project: &Project, words: &[&str]) -> Run {
    let mut command = project.command(words);
    command.env("MY_API_KEY", VALUE);
    Run::of(command)
}

/// Every file below a folder that holds one of these texts.
fn holding(folder: &Path, secrets: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, secrets));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        for secret in secrets {
            if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                found.push(format!("{}: {secret}", path.display()));
            }
        }
    }
    found
}

#[test]
fn no_file_below_the_state_folder_holds_a_secret() {
    let project = project();
    project.write(&format!("names/{}.txt", token()), "");
    project.commit("a file that is named like a token");
    project.write("claim.txt", &format!("done with {VALUE} and {}", token()));
    run(&project, &["begin", "--adopt", "claim.txt"]).exits(0);
    let red = run(&project, &["red", "--claim", "claim.txt", "--format", "json"]).exits(0);
    project.write("greet.sh", "greet() { echo \"hello $1\"; }\n");
    project.remove("claim.txt");
    let green = run(&project, &["green", "--format", "json"]).exits(0);
    run(&project, &["red", "--again"]);
    run(&project, &["red", "--rebind", "--reason", &format!("because {}", token())]);
    run(&project, &["green"]);

    let secrets = [VALUE, &token()[..], KEY, "secret of the plan"];
    assert_eq!(holding(&project.at(".verify"), &secrets), [""; 0]);
    for printed in [&red, &green] {
        assert!(secrets.iter().all(|secret| !printed.out.contains(secret)), "{}", printed.out);
    }

    // What was taken out keeps its place: the id its hash, the output its lines and the hash of its raw bytes.
    let record = red.value();
    let check = &record["checks"][0];
    let case = &check["report"]["cases"][1];
    assert_eq!(case["id"], "greets [redacted:github-token]");
    assert_eq!(case["id_sha256"].as_str().unwrap().len(), 64);
    assert!(check["report"]["cases"][0].get("id_sha256").is_none());
    let output = check["output"].as_str().unwrap();
    assert!(output.contains("env [redacted:variable] and [redacted:variable]"), "{output}");
    assert!(output.contains("[redacted:private-key]"), "{output}");
    let bytes = check["output_bytes"].as_u64().unwrap();
    assert_ne!(bytes, output.len() as u64);
    let log = project.read(".verify/evidence/red-0001.greeting.log");
    assert_eq!(log.lines().count(), output.lines().count());
}

#[test]
fn a_claim_that_is_cut_within_a_secret_keeps_nothing_of_it() {
    let project = project();
    let token = token();
    run(&project, &["begin"]).exits(0);
    for length in [5, 20, token.len() - 1] {
        let out = tempfile::tempdir().unwrap();
        let claim = out.path().join("claim.txt");
        fs::write(&claim, format!("{} {token}", "x".repeat((1 << 10) - 1 - length))).unwrap();
        run(&project, &["red", "--again", "--claim", &claim.display().to_string()]).exits(0);
    }
    assert_eq!(holding(&project.at(".verify"), &[&token[..8]]), [""; 0]);
}

#[test]
fn a_report_with_a_colour_or_a_quote_before_a_secret_is_redacted() {
    let project = project();
    let token = token();
    let value = "it's a \"private\" one";
    // A colour stands before the token, and the value has both kinds of quotes.
    let said = r#"  printf '  operator: "\\e[31mTOKEN"\n'; echo "  message: $OWN_SECRET""#;
    let said = said.replace("TOKEN", &token);
    project.edit("tests/greet.sh", "    echo \"  operator: equal\"", &said);
    project.commit("coloured");
    run(&project, &["begin"]).exits(0);
    let mut command = project.command(["red", "--format", "json"]);
    command.env("MY_API_KEY", VALUE).env("OWN_SECRET", value);
    Run::of(command).exits(0);
    let quoted = value.replace('"', "\\\"");
    assert_eq!(holding(&project.at(".verify"), &[&token, value, &quoted]), [""; 0]);
}

#[test]
fn a_rejection_shows_no_secret() {
    let project = project();
    run(&project, &["begin"]).exits(0);
    let shown = run(&project, &["green"]);
    assert!(!shown.out.contains(&token()) && !shown.out.contains(VALUE), "{}", shown.out);
    run(&project, &["red"]).exits(0);
    let shown = run(&project, &["green"]).exits(1);
    assert!(!shown.out.contains(&token()) && !shown.out.contains(VALUE), "{}", shown.out);
}
