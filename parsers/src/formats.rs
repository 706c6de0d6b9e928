//! One module a format. The registry in `format` names each once.

pub(crate) mod dotnet;
pub(crate) mod generic;
pub(crate) mod jest;
pub(crate) mod junit;
pub(crate) mod pytest;
pub(crate) mod tap;
pub(crate) mod trx;
pub(crate) mod unittest;

#[cfg(test)]
mod shown;
