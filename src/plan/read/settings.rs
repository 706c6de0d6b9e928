//! `[freeze]`, `[guard]`, `[fingerprint]`, `[deliver]`

use super::repositories::Repositories;
use super::values::{by_repository, choice, globs, variable_name};
use crate::digest::Sha256;
use crate::plan::fault::{Faults, quoted};
use crate::plan::model::{Deliver, Fingerprint, FingerprintOf, Freeze, Guard, HeadPolicy, RebindPolicy};
use crate::plan::node::Fields;
use crate::plan::paths::{ByRepository, PathSet};

pub(super) fn freeze(root: Fields<'_>, repositories: &Repositories, faults: &mut Faults<'_>) -> Freeze {
    let known = &["test_paths", "inline", "allow", "rebind", "rebind_sha256"];
    let mut freeze = Freeze {
        test_paths: ByRepository::All(PathSet::none()),
        inline: PathSet::none(),
        allow: PathSet::none(),
        rebind: RebindPolicy::Anyone,
    };
    let Some(fields) = root.table("freeze", known, faults) else { return freeze };
    if let Some(node) = fields.get("test_paths") {
        freeze.test_paths = by_repository(node, repositories, faults);
    }
    freeze.inline = globs(fields, "inline", faults);
    freeze.allow = globs(fields, "allow", faults);
    freeze.rebind = rebind(fields, faults);
    freeze
}

fn rebind(fields: Fields<'_>, faults: &mut Faults<'_>) -> RebindPolicy {
    let hash = fields.get("rebind_sha256").and_then(|node| Some((node.text(faults)?, node.at)));
    let hash = hash.filter(|(text, _)| !text.is_empty());
    let by_token = choice(fields, "rebind", [("anyone", false), ("token", true)], faults);
    match hash {
        Some((text, at)) => match text.parse::<Sha256>() {
            Err(_) => {
                faults.add(at, format!("{} is no SHA-256 value: 64 lower-case hex digits", quoted(text)))
            }
            Ok(_) if !by_token => faults.add(at, "this has no effect without `rebind = \"token\"`"),
            Ok(hash) => return RebindPolicy::Token(hash),
        },
        None if by_token => {
            let at = fields.get("rebind").map_or(fields.at, |node| node.at);
            faults.add(at, "`rebind = \"token\"` needs `rebind_sha256`, the SHA-256 of the token");
        }
        None => {}
    }
    RebindPolicy::Anyone
}

pub(super) fn guard(root: Fields<'_>, faults: &mut Faults<'_>) -> Guard {
    let Some(fields) = root.table("guard", &["head", "ignore"], faults) else {
        return Guard { head: HeadPolicy::Fixed, ignore: PathSet::none() };
    };
    let heads = [("fixed", HeadPolicy::Fixed), ("may-advance", HeadPolicy::MayAdvance)];
    Guard { head: choice(fields, "head", heads, faults), ignore: globs(fields, "ignore", faults) }
}

pub(super) fn fingerprint(root: Fields<'_>, faults: &mut Faults<'_>) -> Fingerprint {
    let Some(fields) = root.table("fingerprint", &["include", "env", "of"], faults) else {
        return Fingerprint { include: PathSet::none(), env: Vec::new(), of: FingerprintOf::Tree };
    };
    let env = fields.get("env").and_then(|node| node.texts(faults)).unwrap_or_default();
    for (name, at) in &env {
        variable_name(name, *at, faults);
    }
    Fingerprint {
        include: globs(fields, "include", faults),
        env: env.into_iter().map(|(name, _)| name.to_owned()).collect(),
        of: choice(fields, "of", [("tree", FingerprintOf::Tree), ("path", FingerprintOf::Path)], faults),
    }
}

pub(super) fn deliver(root: Fields<'_>, faults: &mut Faults<'_>) -> Deliver {
    let mut deliver = Deliver { replay: false, allow_empty: false };
    if let Some(fields) = root.table("deliver", &["replay", "allow_empty"], faults) {
        let mut flag = |key| fields.get(key).and_then(|node| node.boolean(faults)).unwrap_or(false);
        deliver = Deliver { replay: flag("replay"), allow_empty: flag("allow_empty") };
    }
    deliver
}
