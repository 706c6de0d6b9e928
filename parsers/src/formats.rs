//! One module a format. The registry in `format` names each once.

pub(crate) mod generic;
pub(crate) mod jest;
pub(crate) mod pytest;
pub(crate) mod tap;
pub(crate) mod unittest;
