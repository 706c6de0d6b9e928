//! What was mended or left out while a document was read, counted, with the first place of each.

use crate::{Lines, Note, NoteCode};

macro_rules! oddities {
    ($($(#[$doc:meta])* $variant:ident = $code:ident $text:literal,)*) => {
        /// Something that XML doesn't allow, or that isn't read.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Oddity {
            $($(#[$doc])* $variant,)*
        }

        impl Oddity {
            const ALL: &'static [Self] = &[$(Self::$variant,)*];

            const fn code(self) -> NoteCode {
                match self { $(Self::$variant => NoteCode::$code,)* }
            }

            const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

oddities! {
    Control = InputRepaired "characters that XML doesn't allow were dropped",
    Encoding = InputRepaired "bytes that are no text in the document's encoding were replaced",
    Ampersand = InputRepaired "a bare `&` or an unknown entity was taken as text",
    Less = InputRepaired "a bare `<` was taken as text",
    CdataEnd = InputRepaired "a bare `]]>` was taken as text",
    EndTag = InputRepaired "elements and end tags that don't match were closed or passed over",
    Attributes = InputRepaired "attributes that are not well-formed were read as far as they can be told",
    Doctype = LeftOut "a document type declaration was not read; its entities are not expanded",
    LongText = LeftOut "text of more than 64 KiB was cut",
    LongValue = LeftOut "attributes of more than 64 KiB were cut",
    ManyAttributes = LeftOut "an element has more than 64 attributes",
}

/// How often each oddity came, and on which line first.
#[derive(Debug, Default)]
pub(crate) struct Mended([(u32, u32); Oddity::ALL.len()]);

impl Mended {
    pub(super) fn saw(&mut self, what: Oddity, line: u32) {
        if let Some((count, first)) = self.0.get_mut(what as usize) {
            if *count == 0 {
                *first = line;
            }
            *count = count.saturating_add(1);
        }
    }

    /// A note for each oddity that came.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Note> + '_ {
        let came = Oddity::ALL.iter().zip(&self.0).filter(|(_, (count, _))| *count > 0);
        came.map(|(what, (count, first))| {
            let places = if *count == 1 { String::new() } else { format!(", at {count} places") };
            Note {
                code: what.code(),
                message: format!("{}{places}", what.text()),
                lines: Some(Lines::one(*first)),
            }
        })
    }
}
