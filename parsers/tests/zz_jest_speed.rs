use redgreen_parsers::*;
#[test]
fn speed() {
    let mut dense = String::from("PASS tests/reports.test.js\n  reports\n");
    let n = 1_500_000;
    for i in 0..n {
        dense += &format!("    ✓ exports number {i:09} ({} ms)\n", i % 10 + 1);
    }
    dense += &format!(
        "\nTest Suites: 1 passed, 1 total\nTests:       {n} passed, {n} total\nSnapshots:   0 total\n"
    );
    let mut noise = String::from("PASS tests/reports.test.js\n  reports\n    ✓ a\n\n");
    for i in 0..800_000 {
        noise += &format!(
            "2026-01-02 03:04:05,{:03} INFO  app.server handled request {i} in {} ms path=/api/items status=200\n",
            i % 1000,
            i % 97
        );
    }
    noise += "\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n";
    let f = Format::find("jest").unwrap();
    for (name, text) in [("dense", dense), ("noise", noise)] {
        for _ in 0..4 {
            let t = std::time::Instant::now();
            let r = parse(f, text.as_bytes(), &Options::default());
            let e = t.elapsed().as_secs_f64();
            println!(
                "{name} {:.0} MB/s {:.2} M cases/s {:?}",
                text.len() as f64 / e / 1e6,
                r[0].cases.len() as f64 / e / 1e6,
                r[0].notes
            );
        }
    }
}
