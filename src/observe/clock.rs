//! What time it is.

use super::facts::Timestamp;

/// This moment, to the millisecond.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::to_the_millisecond(jiff::Timestamp::now())
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
