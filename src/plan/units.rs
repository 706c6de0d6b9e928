//! Durations and sizes, as a plan writes them.

use std::time::Duration;

/// The longest duration: a clock can always add it.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A whole number and its unit: `500ms`, `90s`, `10m`, `2h`.
///
/// # Errors
/// What is wrong, in words: not of that form, zero, or longer than a year.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        _ => return Err("a duration is a whole number with `ms`, `s`, `m` or `h`, such as `90s`".to_owned()),
    };
    let duration = number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(milliseconds))
        .map(Duration::from_millis)
        .filter(|duration| *duration <= LONGEST);
    match duration {
        _ if number.is_empty() => Err("the number before the unit is missing".to_owned()),
        None => Err("this is longer than a year".to_owned()),
        Some(Duration::ZERO) => Err("no time at all is too short for any run".to_owned()),
        Some(duration) => Ok(duration),
    }
}

/// A whole number of bytes, or one with its unit: `64MiB` (powers of 1024), `10KB` (powers of 1000).
///
/// # Errors
/// What is wrong, in words: not of that form, zero, or more than 64 bits hold.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let bytes: u64 = match unit {
        "" | "B" => 1,
        "KB" | "kB" => 1000,
        "MB" => 1000_u64.pow(2),
        "GB" => 1000_u64.pow(3),
        "TB" => 1000_u64.pow(4),
        "KiB" => 1024,
        "MiB" => 1024_u64.pow(2),
        "GiB" => 1024_u64.pow(3),
        "TiB" => 1024_u64.pow(4),
        _ => {
            return Err(
                "a size is a whole number with `KB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`, such as `64MiB`"
                    .to_owned(),
            );
        }
    };
    match number.parse::<u64>().ok().and_then(|number| number.checked_mul(bytes)) {
        _ if number.is_empty() => Err("the number before the unit is missing".to_owned()),
        None => Err("this is more than can be counted".to_owned()),
        Some(0) => Err("nothing at all is too little for any output".to_owned()),
        Some(size) => Ok(size),
    }
}

/// The leading digits, and what comes after them.
fn split(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let check = |text: &str, milliseconds: u64| {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        };
        check("1ms", 1);
        check("500ms", 500);
        check("90s", 90_000);
        check("10m", 600_000);
        check("2h", 7_200_000);
        check("8760h", 31_536_000_000);
    }

    #[test]
    fn what_is_no_duration() {
        for bad in
            ["", "10", "0s", "s", "ms", "1.5h", "-1s", "1 s", "1d", "1h30m", "8761h", "off", "１s", "10M"]
        {
            assert!(duration(bad).is_err(), "{bad:?}");
        }
        assert!(duration("99999999999999999999999s").is_err());
        assert!(duration("18446744073709551615h").is_err());
    }

    #[test]
    fn sizes() {
        let check = |text: &str, bytes: u64| assert_eq!(size(text), Ok(bytes), "{text}");
        check("1", 1);
        check("1000B", 1000);
        check("10KB", 10_000);
        check("10kB", 10_000);
        check("1MB", 1_000_000);
        check("3GB", 3_000_000_000);
        check("2KiB", 2048);
        check("64MiB", 64 << 20);
        check("2GiB", 2 << 30);
        check("1TiB", 1 << 40);
    }

    #[test]
    fn what_is_no_size() {
        for bad in [
            "",
            "0",
            "0MiB",
            "MiB",
            "1.5MB",
            "-1",
            "10 KB",
            "10mib",
            "off",
            "99999999999999999999",
            "16777216TiB",
        ] {
            assert!(size(bad).is_err(), "{bad:?}");
        }
    }
}
