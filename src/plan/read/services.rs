//! `[[services]]`

use std::time::Duration;

use super::run;
use super::values::Ids;
use crate::plan::fault::{Faults, quoted};
use crate::plan::node::{Fields, Node};
use crate::plan::patterns::{BadPattern, pattern};
use crate::plan::service::{Page, Ready, Service, is_address};

const KEYS: &[&str] = &["id", "command", "argv", "ready", "timeout"];
const READY: &[&str] = &["pattern", "tcp", "http", "file"];

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The services of a plan, also those that were found wrong, so that what names them isn't wrong as well.
#[derive(Debug, Default)]
pub(super) struct Services {
    list: Vec<Service>,
    ids: Vec<String>,
}

impl Services {
    pub(super) fn into_list(self) -> Vec<Service> {
        self.list
    }

    /// The services that a check needs, in its order.
    pub(super) fn needed(&self, fields: Fields<'_>, faults: &mut Faults<'_>) -> Vec<String> {
        let Some(names) = fields.get("needs").and_then(|node| node.texts(faults)) else { return Vec::new() };
        let mut needed: Vec<String> = Vec::new();
        for (name, at) in names {
            if !self.ids.iter().any(|id| id == name) {
                faults.unknown(at, "service", name, self.ids.iter().map(String::as_str));
            } else if !needed.iter().any(|id| id == name) {
                needed.push(name.to_owned());
            }
        }
        needed
    }
}

pub(super) fn read(root: Fields<'_>, faults: &mut Faults<'_>) -> Services {
    let (mut ids, mut services) = (Ids::default(), Services::default());
    for fields in root.tables("services", KEYS, faults) {
        let id = ids.take(fields, "id", faults).map(str::to_owned);
        let command = run::command(fields, faults);
        let timeout = fields.get("timeout").and_then(|node| run::duration(node, faults));
        let ready = fields.required("ready", faults).and_then(|node| ready(node, faults));
        let Some(id) = id else { continue };
        services.ids.push(id.clone());
        if let Some(ready) = ready {
            let timeout = timeout.unwrap_or(DEFAULT_TIMEOUT);
            services.list.push(Service { id, command, ready, timeout });
        }
    }
    services
}

fn ready(node: &Node, faults: &mut Faults<'_>) -> Option<Ready> {
    let fields = Fields::open(node, READY, faults)?;
    let mut given = READY.iter().filter_map(|key| Some((*key, fields.get(key)?)));
    let (Some((key, node)), None) = (given.next(), given.next()) else {
        faults.add(fields.at, "`ready` takes one of `pattern`, `tcp`, `http`, `file`");
        return None;
    };
    let text = node.text(faults)?;
    let ready = match key {
        "pattern" => of_pattern(text).map_err(|bad| bad.to_string()),
        "tcp" if is_address(text) => Ok(Ready::Tcp(text.to_owned())),
        "tcp" => Err(format!("{} is no address; write host and port, `127.0.0.1:8000`", quoted(text))),
        "http" => Page::of_url(text).map(Ready::Http).ok_or_else(|| {
            format!("{} can't be asked for; write `http://127.0.0.1:8000/path`, or use `tcp`", quoted(text))
        }),
        _ if text.trim().is_empty() || text.contains('\0') => Err("this is no path".to_owned()),
        _ => Ok(Ready::File(text.to_owned())),
    };
    ready.map_err(|why| faults.add(node.at, why)).ok()
}

fn of_pattern(text: &str) -> Result<Ready, BadPattern> {
    let regex = pattern(text)?;
    if regex.is_match(b"") { Err(BadPattern::MatchesEmpty) } else { Ok(Ready::Pattern(regex)) }
}
