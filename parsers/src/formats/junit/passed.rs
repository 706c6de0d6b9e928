//! A case as nearly every one is: it passed, so that one empty tag says all of it. It is taken without the buffers that
//! a case with results needs.

use super::case::{seconds, trimmed};
use super::document::Documents;
use super::repeated::Ids;
use super::tries::Last;
use crate::xml::Element;
use crate::{Lines, NewCase, Status};

impl Documents {
    /// Takes a case that is all in this tag, which ends in that line. `false`: it isn't plain, and nothing is taken.
    pub(super) fn passed(&mut self, element: &Element<'_>, end_line: u32) -> bool {
        let (mut class, mut name, mut file, mut time) = ("", "", "", None);
        for (key, value) in element.attributes() {
            let place = match key {
                "classname" => &mut class,
                "name" => &mut name,
                "file" => &mut file,
                "time" => {
                    time = seconds(value);
                    continue;
                }
                "line" => continue,
                _ => return false,
            };
            if trimmed(value).len() != value.len() || value.is_empty() {
                return false;
            }
            *place = value;
        }
        // What has no class of its own is named by the suites around it.
        if name.is_empty() || class.is_empty() || class == name {
            return false;
        }
        self.id.clear();
        self.id.push_str(class);
        self.id.push('.');
        self.id.push_str(name);
        let hash = Ids::hash(&self.id);
        // It may be another try of the case before.
        if self.ids.is_last(hash) {
            return false;
        }
        self.ids.push(hash);
        self.last_outside = None;
        if let Some(counts) = self.counts() {
            counts.tries += 1;
            counts.count(Status::Passed, 1);
        }
        let lines = Lines::new(element.line, end_line);
        let new = NewCase { id: &self.id, name_len: name.len(), status: Status::Passed, lines };
        let key = self.report.cases.push(new, split);
        if let Some(seconds) = time {
            self.report.cases.set_duration(key, seconds);
        }
        self.last = Some(Last { key, status: Status::Passed });
        self.last_file.clear();
        self.last_file.push_str(file);
        true
    }
}

/// The suite of a case with a class, of what stands before its name.
pub(super) fn split(prefix: &str) -> Vec<String> {
    vec![prefix.strip_suffix('.').unwrap_or(prefix).to_owned()]
}
