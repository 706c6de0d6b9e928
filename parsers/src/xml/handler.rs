//! What a format in XML has to say of its elements.

use super::element::Element;
use super::mended::Oddity;

/// What is wanted of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// The elements within; text between them isn't.
    Elements,
    /// The text alone.
    Text,
    /// Nothing.
    Nothing,
}

impl Content {
    pub(super) fn has_elements(self) -> bool {
        self == Self::Elements
    }

    pub(super) fn has_text(self) -> bool {
        self == Self::Text
    }
}

/// What a format does with the elements of its documents. Each call comes in the order of the document.
pub(crate) trait Handler {
    /// Whether an element of this name starts a document of the format.
    fn is_root(&self, name: &[u8]) -> bool;

    /// Whether the format has an element of this name.
    fn is_element(&self, name: &[u8]) -> bool;

    /// A document starts; its root is the next element.
    fn document(&mut self, line: u32);

    /// An element starts.
    fn open(&mut self, element: &Element<'_>, odd: &mut dyn FnMut(Oddity)) -> Content;

    /// An element is all in its start tag, with well-formed attributes of which none comes twice. `true`: it is taken, and
    /// neither [`open`](Self::open) nor [`close`](Self::close) is called.
    fn whole(&mut self, _element: &Element<'_>, _end_line: u32) -> bool {
        false
    }

    /// Text of the innermost element, in one piece or several.
    fn text(&mut self, text: &str, line: u32);

    /// The innermost element ends.
    fn close(&mut self, name: &str, line: u32);

    /// The document ends: with its root's end tag, or because the input does. Elements may be open then.
    fn end(&mut self, whole: bool, line: u32);

    /// Outside any document stands a part of one that can't be read.
    fn stray(&mut self);
}
