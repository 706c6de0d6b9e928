//! Medians of times.

use std::time::{Duration, Instant};

use crate::shell::Done;

/// How long something takes, and what it gives.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// How long this thread works on something, and what it gives. What else the machine does meanwhile does not count,
/// where the system tells the two apart.
pub(crate) fn worked<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let before = on_processor();
    let (elapsed, result) = timed(work);
    let worked = before.zip(on_processor()).map(|(before, after)| after.saturating_sub(before));
    (worked.map_or(elapsed, |worked| worked.min(elapsed)), result)
}

/// The time that this thread was on a processor, as Linux tells it.
fn on_processor() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// The median of as many tries; the first failure ends it.
pub(crate) fn median_of(tries: usize, mut work: impl FnMut() -> Done<Duration>) -> Done<Duration> {
    let mut times = Vec::with_capacity(tries);
    for _ in 0..tries {
        times.push(work()?);
    }
    median(times).ok_or_else(|| "nothing was tried".into())
}

/// The least of as many tries: what else the machine does only ever adds.
pub(crate) fn least_of(tries: usize, mut work: impl FnMut() -> Duration) -> Duration {
    (0..tries).map(|_| work()).min().unwrap_or_default()
}

/// The middle one; of an even number the upper.
pub(crate) fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// `1.23 ms` or `4.56 s`.
pub(crate) fn shown(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Millions of bytes a second.
pub(crate) fn rate(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(vec![9, 1, 5]), Some(5));
        assert_eq!(median::<u8>(vec![]), None);
        let mut times = [3, 1, 2].map(Duration::from_secs).into_iter();
        let took = median_of(3, || times.next().ok_or_else(|| "no more".into()));
        assert_eq!(took.unwrap(), Duration::from_secs(2));
        assert!(median_of(1, || Err("no".into())).is_err());
    }

    #[test]
    fn what_is_worked_is_no_more_than_what_went_by() {
        let (elapsed, (worked, result)) = timed(|| worked(|| 7));
        assert!(worked <= elapsed && result == 7);
    }
}
