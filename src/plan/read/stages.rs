//! `[[stages]]`

use super::repositories::Repositories;
use super::values::{Ids, writable};
use crate::plan::fault::{Faults, quoted};
use crate::plan::model::Stage;
use crate::plan::node::Fields;

/// A command without `--stage` is the stage of its own word.
const TAKEN: &[&str] = &["red", "green", "deliver", "guard", "replay"];

pub(super) fn read(root: Fields<'_>, repositories: &Repositories, faults: &mut Faults<'_>) -> Vec<Stage> {
    let mut ids = Ids::default();
    let mut stages = Vec::new();
    for fields in root.tables("stages", &["id", "writes"], faults) {
        let id = ids.take(fields, "id", faults);
        if let (Some(id), Some(node)) = (id, fields.get("id"))
            && TAKEN.contains(&id)
        {
            let why = format!("the stage {} is the command's own; choose another id", quoted(id));
            faults.add(node.at, why);
        }
        let writes = fields.required("writes", faults).map(|node| writable(node, repositories, faults));
        if let (Some(id), Some(writes)) = (id, writes) {
            stages.push(Stage { id: id.to_owned(), writes });
        }
    }
    stages
}
