//! What is taken out of everything that is saved or shown: the values of variables whose names say that they are secret.

use std::path::Path;

use crate::plan::Check;
use crate::record::redact::{Redactor, is_secret_name};

/// Takes out the secrets of `verify`'s own environment and of what these checks are given.
#[must_use]
pub(super) fn redactor<'p>(checks: impl IntoIterator<Item = &'p Check>) -> Redactor {
    let own = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
    let given = checks.into_iter().flat_map(|check| &check.env);
    let given = given.map(|(name, value)| (name.clone(), value.clone()));
    let secret = own.chain(given).filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value);
    // Many variables say where a secret lies; the place is none.
    Redactor::new(secret.filter(|value| !(Path::new(value).is_absolute() && Path::new(value).exists())))
}
