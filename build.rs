//! The tests of the corpus are made from its folders when they are compiled: a new recording has to compile them anew.

fn main() {
    // A published package has no corpus.
    let watched = if std::path::Path::new("corpus").is_dir() { "corpus" } else { "build.rs" };
    println!("cargo::rerun-if-changed={watched}");
    println!("cargo::rerun-if-changed=build.rs");
}
