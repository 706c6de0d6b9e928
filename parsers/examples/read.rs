//! Prints the reports of an output: `cargo run -p redgreen-parsers --example read -- pytest FILE`.

use redgreen_parsers::{Format, Options, parse};

#[expect(clippy::disallowed_methods, reason = "an example reads a file; the library reads none")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let format = args.next().as_deref().and_then(Format::find).ok_or("name a format and a file")?;
    let input = std::fs::read(args.next().ok_or("name a file")?)?;
    println!("{}", serde_json::to_string_pretty(&parse(format, &input, &Options::default()))?);
    Ok(())
}
