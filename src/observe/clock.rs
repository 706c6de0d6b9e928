//! What time it is.

use std::time::SystemTime;

use super::facts::Timestamp;

/// This moment, to the millisecond.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::to_the_millisecond(jiff::Timestamp::now())
}

/// A moment of which the system speaks. `None`: beyond what a calendar holds.
#[must_use]
pub fn of_system(time: SystemTime) -> Option<Timestamp> {
    jiff::Timestamp::try_from(time).ok().map(Timestamp::to_the_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn now_survives_a_record() {
        let moment = now();
        assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
    }
}
