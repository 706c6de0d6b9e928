//! The first rule of red and green: the process ended by itself, with the right exit code.

use super::findings::Findings;
use super::{Code, Problem};
use crate::observe::facts::Ended;
use crate::plan::Phase;

/// Judges how a run ended. Gives whether there is anything else to judge: what never started said nothing.
pub(super) fn judge(ended: Option<&Ended>, phase: Phase, found: &mut Findings) -> bool {
    let (code, message) = match ended {
        None => {
            (Code::ExitUnknown, "nobody says how the run ended; give its exit code or its signal".to_owned())
        }
        Some(Ended::Exit(0)) if phase == Phase::Red => {
            (Code::ExitZero, "the command exited with 0, and red needs a run that failed".to_owned())
        }
        Some(Ended::Exit(code)) if *code != 0 && phase == Phase::Green => {
            (Code::ExitNonzero, format!("the command exited with {code}, and green needs 0"))
        }
        Some(Ended::Exit(_)) => return true,
        Some(Ended::Signal(signal)) => {
            (Code::EndedBySignal, format!("signal {signal} ended the command before its own end"))
        }
        Some(Ended::Timeout) => (
            Code::TimedOut,
            "the command ran longer than its `timeout` and was ended; raise it, or find what waits"
                .to_owned(),
        ),
        Some(Ended::Inactivity) => (
            Code::Inactive,
            "the command printed nothing for longer than its `inactivity_timeout` and was ended".to_owned(),
        ),
        Some(Ended::OutputLimit) => {
            (Code::OutputLimit, "the command printed more than its `output_limit` and was ended".to_owned())
        }
        Some(Ended::Cancelled(signal)) => {
            (Code::Cancelled, format!("the run was cancelled by signal {signal}; run it again"))
        }
        Some(Ended::NotStarted(why)) => {
            found.reject(Code::StartupFailure, || {
                Problem::new(Code::StartupFailure, format!("the command could not be started: {why}"))
            });
            return false;
        }
    };
    found.reject(code, || Problem::new(code, message));
    true
}
