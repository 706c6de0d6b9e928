use crate::shell::Done;
pub(crate) fn run() -> Done {
    crate::generate::x();
    Ok(())
}
