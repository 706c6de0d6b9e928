//! Where a task stands, and the next command.

use super::deliver::{CheckStanding, Standing};

/// What decides about the next step.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Whether a task is open.
    pub open: bool,
    /// Whether the plan's file isn't the one that the task took.
    pub plan_changed: bool,
    /// Whether what is frozen is as red left it; `None`: nothing is frozen yet.
    pub frozen_intact: Option<bool>,
    /// Each check of the plan.
    pub checks: &'a [CheckStanding],
}

impl Progress<'_> {
    /// Whether everything that a delivery asks for is there and fresh: the task can be delivered, or was and nothing
    /// moved since.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let done = |check: &CheckStanding| {
            let there = |standing| matches!(standing, Standing::Accepted | Standing::NotNeeded);
            there(check.red) && there(check.green) && (check.fresh || check.green == Standing::NotNeeded)
        };
        !self.plan_changed && self.frozen_intact == Some(true) && self.checks.iter().all(done)
    }

    /// The command that leads on.
    #[must_use]
    pub fn next(&self) -> String {
        if !self.open {
            return "verify begin".to_owned();
        }
        if self.plan_changed || self.frozen_intact == Some(false) {
            return "verify red --rebind --reason TEXT".to_owned();
        }
        let named = |wanted: &dyn Fn(&CheckStanding) -> bool| -> Vec<&str> {
            self.checks.iter().filter(|check| wanted(check)).map(|check| check.id.as_str()).collect()
        };
        let open = |standing| matches!(standing, Standing::Missing | Standing::Rejected);
        let red = named(&|check| open(check.red));
        if !red.is_empty() {
            return format!("verify red {}", red.join(" "));
        }
        let green = named(&|check| open(check.green) || (!check.fresh && check.green == Standing::Accepted));
        if !green.is_empty() {
            return format!("verify green {}", green.join(" "));
        }
        "verify deliver".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Progress<'_> =
        Progress { open: true, plan_changed: false, frozen_intact: Some(true), checks: &[] };

    fn standing(id: &str, red: Standing, green: Standing, fresh: bool) -> CheckStanding {
        CheckStanding { id: id.to_owned(), red, green, fresh }
    }

    #[track_caller]
    fn check(progress: Progress<'_>, next: &str) {
        assert_eq!(progress.next(), next);
        assert_eq!(progress.is_complete(), next == "verify deliver");
    }

    #[test]
    fn a_delivered_task_stays_complete_until_something_moves() {
        let closed = Progress { open: false, ..ALL };
        assert_eq!(closed.next(), "verify begin");
        assert!(closed.is_complete());
        let stale = [standing("a", Standing::Accepted, Standing::Accepted, false)];
        assert!(!Progress { checks: &stale, ..closed }.is_complete());
    }

    #[test]
    fn the_next_command_is_the_first_thing_that_is_missing() {
        use Standing::{Accepted, Missing, NotNeeded, Rejected};
        check(Progress { plan_changed: true, ..ALL }, "verify red --rebind --reason TEXT");
        check(Progress { frozen_intact: Some(false), ..ALL }, "verify red --rebind --reason TEXT");
        let checks = [
            standing("a", Missing, Missing, false),
            standing("b", Accepted, Missing, false),
            standing("c", Rejected, Missing, false),
        ];
        check(Progress { checks: &checks, frozen_intact: None, ..ALL }, "verify red a c");
        let checks = [
            standing("a", Accepted, Missing, false),
            standing("b", NotNeeded, Rejected, false),
            standing("c", Accepted, Accepted, true),
            standing("d", Accepted, Accepted, false),
            standing("e", Accepted, NotNeeded, false),
        ];
        check(Progress { checks: &checks, ..ALL }, "verify green a b d");
        let checks = [standing("a", Accepted, Accepted, true), standing("e", Accepted, NotNeeded, false)];
        check(Progress { checks: &checks, ..ALL }, "verify deliver");
    }
}
