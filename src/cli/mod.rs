//! x
#[expect(missing_docs)] pub fn main() -> std::process::ExitCode { std::process::ExitCode::SUCCESS }
