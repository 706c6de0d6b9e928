use crate::shell::Done;
pub(crate) fn write() -> Done {
    Ok(())
}
pub(crate) fn check() -> Done {
    Ok(())
}
