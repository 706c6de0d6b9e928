//! Two sets of ignore rules, read side by side.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice as _};
use gix::glob::pattern::Case;
use gix::glob::search::pattern::List;
use gix::ignore::search::{Ignore, pattern_matching_relative_path};

use crate::observe::facts::{IgnoreOrigin, IgnoreRules, IgnoreSource};

/// The rules that hold in a folder, of the baseline and of today. Where they are equal they are shared, and asked once.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    baseline: Chain,
    today: Chain,
}

/// What hides a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hidden {
    pub(super) baseline: bool,
    pub(super) today: bool,
}

impl Hidden {
    /// Whether both do: then the path doesn't count.
    pub(super) const fn by_both(self) -> bool {
        self.baseline && self.today
    }

    /// Whether only a rule that the baseline doesn't have does.
    pub(super) const fn by_new_rule(self) -> bool {
        self.today && !self.baseline
    }
}

/// The rules of one source, and those that give way to them.
type Chain = Option<Arc<Link>>;

#[derive(Debug)]
struct Link {
    patterns: List<Ignore>,
    above: Chain,
}

/// The baseline's rules by folder.
#[derive(Debug, Default)]
pub(super) struct Baseline<'a> {
    /// `None`: today's rules are the baseline's.
    sources: Option<HashMap<&'a BStr, Sources<'a>>>,
}

#[derive(Debug, Default)]
struct Sources<'a> {
    global: Vec<&'a IgnoreSource>,
    folder: Option<&'a BString>,
}

impl<'a> Baseline<'a> {
    pub(super) fn new(rules: Option<&'a IgnoreRules>) -> Self {
        let by_folder = |rules: &'a IgnoreRules| {
            let mut sources: HashMap<&BStr, Sources<'_>> = HashMap::new();
            for source in rules {
                let of_folder = sources.entry(source.folder.as_bstr()).or_default();
                match source.origin {
                    IgnoreOrigin::Folder => of_folder.folder = Some(&source.text),
                    IgnoreOrigin::Exclude | IgnoreOrigin::Global => of_folder.global.push(source),
                }
            }
            sources
        };
        Self { sources: rules.map(by_folder) }
    }

    /// The rules outside the work tree of the repository whose root is `folder`; `today` in order, the last one winning.
    pub(super) fn at_root(&self, folder: &BStr, today: &[IgnoreSource]) -> Rules {
        let chain = |texts: &mut dyn Iterator<Item = &BString>| {
            texts.fold(None, |above, text| push(&above, text, BStr::new("")))
        };
        let todays = chain(&mut today.iter().map(|source| &source.text));
        let Some(sources) = &self.sources else {
            return Rules { baseline: todays.clone(), today: todays };
        };
        let before = sources.get(folder).map(|sources| sources.global.as_slice()).unwrap_or_default();
        let same = before.iter().map(|source| &source.text).eq(today.iter().map(|source| &source.text));
        let baseline =
            if same { todays.clone() } else { chain(&mut before.iter().map(|source| &source.text)) };
        Rules { baseline, today: todays }
    }

    /// The rules within a folder: `full` below the work tree's root, `relative` below its repository's. `text` is what
    /// its `.gitignore` says today.
    pub(super) fn within(
        &self,
        rules: &Rules,
        full: &BStr,
        relative: &BStr,
        text: Option<&BString>,
    ) -> Rules {
        let before = match &self.sources {
            None => text,
            Some(sources) => sources.get(full).and_then(|sources| sources.folder),
        };
        let add = |chain: &Chain, text: Option<&BString>| match text {
            None => chain.clone(),
            Some(text) => push(chain, text, relative),
        };
        let today = add(&rules.today, text);
        let baseline =
            if rules.are_shared() && before == text { today.clone() } else { add(&rules.baseline, before) };
        Rules { baseline, today }
    }
}

impl Rules {
    /// What hides a path, given what hides the folder that it is in: below a hidden folder all is hidden.
    pub(super) fn hide(&self, path: &BStr, is_folder: bool, above: Hidden) -> Hidden {
        if above.by_both() {
            return above;
        }
        if self.are_shared() && above.baseline == above.today {
            let hidden = hides(&self.today, path, is_folder);
            return Hidden { baseline: hidden, today: hidden };
        }
        Hidden {
            baseline: above.baseline || hides(&self.baseline, path, is_folder),
            today: above.today || hides(&self.today, path, is_folder),
        }
    }

    fn are_shared(&self) -> bool {
        match (&self.baseline, &self.today) {
            (None, None) => true,
            (Some(baseline), Some(today)) => Arc::ptr_eq(baseline, today),
            _ => false,
        }
    }
}

fn push(above: &Chain, text: &BString, folder: &BStr) -> Chain {
    let source = gix::path::from_bstr(folder).unwrap_or_default().join(".gitignore");
    let patterns = List::from_bytes(text, source, Some(Path::new("")), Ignore::default());
    match patterns {
        Ok(patterns) if !patterns.patterns.is_empty() => {
            Some(Arc::new(Link { patterns, above: above.clone() }))
        }
        _ => above.clone(),
    }
}

/// The last pattern that matches decides; those of deeper folders come last.
fn hides(chain: &Chain, path: &BStr, is_folder: bool) -> bool {
    let name = path.rfind_byte(b'/').map(|slash| slash + 1);
    let mut next = chain.as_ref();
    while let Some(link) = next {
        let found = pattern_matching_relative_path(&link.patterns, path, name, Some(is_folder), case());
        if let Some(found) = found {
            return !found.pattern.is_negative();
        }
        next = link.above.as_ref();
    }
    false
}

/// Whether `core.ignoreCase` holds is decided by the system, as its default is: were it read, setting it would make the
/// baseline's rules hide more.
const fn case() -> Case {
    if cfg!(any(target_os = "macos", windows)) { Case::Fold } else { Case::Sensitive }
}
