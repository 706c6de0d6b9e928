//! The one place that every text passes before it is saved.

use std::borrow::Cow;

/// The text as it may be saved.
///
/// **Nothing is redacted yet**: the text comes back as it went in, so a secret that a test prints is saved with its
/// output. Keep the state folder as private as the output itself.
///
/// Whatever this does, the number of lines stays the same, since reports point at them.
#[must_use]
pub fn text(text: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(text)
}

/// [`text`] for a string in place.
pub fn string(string: &mut String) {
    if let Cow::Owned(bytes) = text(string.as_bytes()) {
        *string = String::from_utf8_lossy(&bytes).into_owned();
    }
}
