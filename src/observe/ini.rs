//! INI files as Python's readers take them.

/// A section: its name, and its settings in the order of the file.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub(super) name: &'t str,
    /// Key and value; a line that goes on is a further line of the value before it.
    pub(super) settings: Vec<(&'t str, String)>,
}

/// The sections of a file.
pub(super) fn sections(text: &str) -> Vec<Section<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sections: Vec<Section<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(name) = header(line) {
            sections.push(Section { name, settings: Vec::new() });
        } else if let Some(section) = sections.last_mut() {
            section.line(line);
        }
    }
    sections
}

fn header(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('[')?;
    rest.get(..rest.find(']')?)
}

impl<'t> Section<'t> {
    fn line(&mut self, line: &'t str) {
        let text = line.trim();
        if text.is_empty() || text.starts_with(['#', ';']) {
            return;
        }
        if line.starts_with([' ', '\t'])
            && let Some((_, value)) = self.settings.last_mut()
        {
            value.push('\n');
            value.push_str(text);
            return;
        }
        let (key, value) = text.split_once(['=', ':']).unwrap_or((text, ""));
        self.settings.push((key.trim(), value.trim().to_owned()));
    }
}
