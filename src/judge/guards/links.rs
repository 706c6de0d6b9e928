//! `link-leaves-repository`: no new link leads to files that nobody hashes.

use super::{Guarded, show};
use crate::judge::findings::Findings;
use crate::judge::{Code, Problem};
use crate::observe::facts::RepositoryFacts;

pub(super) fn judge(guarded: &Guarded<'_>, now: &RepositoryFacts, found: &mut Findings) {
    let then = guarded.baseline.repositories.get(&now.id).map(|facts| &facts.map);
    let links = guarded.leaving_links.iter().filter(|place| place.repository == now.id);
    for path in links.filter_map(|place| place.path.as_ref()) {
        let entry = now.map.get(path).map(|entry| (entry.kind, entry.sha256));
        let before = then.and_then(|map| map.get(path)).map(|entry| (entry.kind, entry.sha256));
        let refused = now.frozen_refused.iter().any(|(refused, _)| refused == path);
        if refused || (before.is_some() && before == entry) {
            continue;
        }
        found.reject(Code::LinkLeavesRepository, || {
            let message = format!("{} is a new link that leads out of the repository", show(path));
            Problem::new(Code::LinkLeavesRepository, message).on(&now.id, path.clone())
        });
    }
}
