//! Programs that run beside checks: started, watched until they are ready, and ended.
//!
//! A service is a run like that of a check, with a process group and a transcript of its own, on a thread of its own.

mod output;
mod probe;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use self::output::Output;
use self::probe::Probe;
use super::environment;
use super::facts::{Ended, ServiceFacts};
use super::process::{self, Cancel, Command, Finished, RunError};
use crate::plan::Service;

/// How often a service is asked whether it is ready.
const TICK: Duration = Duration::from_millis(20);

/// The signal by which a service is told to end.
const TERM: i32 = 15;

/// The services of a plan: those that run, and those that did.
#[derive(Debug)]
pub struct Services<'p> {
    plan: &'p [Service],
    folder: PathBuf,
    bytecode: PathBuf,
    running: BTreeMap<&'p str, Running>,
    /// Those that ended, or never got ready, with the reason.
    ended: BTreeMap<&'p str, (ServiceFacts, Option<String>)>,
}

#[derive(Debug)]
struct Running {
    facts: ServiceFacts,
    started: Instant,
    output: Arc<Output>,
    stop: Arc<Cancel>,
    thread: JoinHandle<Result<Finished, RunError>>,
}

impl<'p> Services<'p> {
    /// Those of a plan in `folder`, none of them started. Compiled code is kept in `bytecode`.
    #[must_use]
    pub fn of(plan: &'p [Service], folder: PathBuf, bytecode: PathBuf) -> Self {
        Self { plan, folder, bytecode, running: BTreeMap::new(), ended: BTreeMap::new() }
    }

    /// Starts what isn't running of these services and waits until all are ready. One that failed isn't tried again.
    ///
    /// # Errors
    /// Why one of them isn't ready.
    pub fn start(&mut self, needed: &[String], cancel: &Cancel) -> Result<(), String> {
        for service in self.plan.iter().filter(|service| needed.contains(&service.id)) {
            if let Some((_, Some(why))) = self.ended.get(service.id.as_str()) {
                return Err(why.clone());
            }
            if !self.running.contains_key(service.id.as_str()) {
                self.start_one(service, cancel)?;
            }
        }
        Ok(())
    }

    fn start_one(&mut self, service: &'p Service, cancel: &Cancel) -> Result<(), String> {
        let probe = Probe::of(&service.ready, &self.folder);
        let why = match probe.is_taken() {
            Some(why) => Some(format!("the service `{}` wasn't started: {why}", service.id)),
            None => {
                let running = self.spawn(service)?;
                self.running.insert(&service.id, running);
                self.wait(service, &probe, cancel).map(|why| {
                    let last = self.running.get(service.id.as_str()).map(|running| running.output.last());
                    format!("the service `{}` {why}{}", service.id, last.unwrap_or_default())
                })
            }
        };
        let Some(why) = why else { return Ok(()) };
        self.end_one(&service.id);
        let none = || (facts(service), None);
        self.ended.entry(&service.id).or_insert_with(none).1 = Some(why.clone());
        Err(why)
    }

    fn spawn(&self, service: &Service) -> Result<Running, String> {
        let command = Command {
            env: environment::of_service(&service.command, &self.bytecode),
            ..Command::new(&service.command, &self.folder)
        };
        let failed =
            |why: &dyn std::fmt::Display| format!("the service `{}` can't be watched: {why}", service.id);
        let stop = Arc::new(Cancel::on_demand().map_err(|why| failed(&why))?);
        let output = Arc::new(Output::until(&service.ready));
        let (theirs, seen) = (Arc::clone(&stop), Arc::clone(&output));
        let thread = std::thread::Builder::new().name(format!("service {}", service.id));
        let thread = thread.spawn(move || {
            let finished = seen.reading(|read| process::run_and_tell(&command, &theirs, read));
            seen.end(
                finished
                    .as_ref()
                    .map_or_else(|why| why.to_string(), |finished| how_it_ended(&finished.facts.ended)),
            );
            finished
        });
        let thread = thread.map_err(|why| failed(&why))?;
        Ok(Running { facts: facts(service), started: Instant::now(), output, stop, thread })
    }

    /// Waits until a service is ready; gives why it isn't. Being told to stop isn't its fault.
    fn wait(&mut self, service: &Service, probe: &Probe<'_>, cancel: &Cancel) -> Option<String> {
        let running = self.running.get_mut(service.id.as_str())?;
        loop {
            let waited = running.started.elapsed();
            if cancel.signal().is_some() {
                return None;
            }
            let ended = running.output.ended();
            if ended.is_none() && probe.is_ready(&running.output) {
                running.facts.ready = Some(service.ready.to_string());
                running.facts.startup = waited;
                return None;
            }
            let why = match ended {
                Some(how) => format!("{how} before it was ready; it has to stay in the foreground"),
                None if waited >= service.timeout => {
                    let seconds = service.timeout.as_secs_f64();
                    format!("wasn't ready within {seconds} s: not yet could be seen that {}", service.ready)
                }
                None => {
                    running.output.wait(TICK.min(service.timeout.saturating_sub(waited)));
                    continue;
                }
            };
            running.facts.startup = waited;
            return Some(why);
        }
    }

    /// The services among these that ended while they were needed, one sentence each.
    #[must_use]
    pub fn lost(&self, needed: &[String]) -> Vec<String> {
        let of = |id: &String| {
            let running = self.running.get(id.as_str())?;
            let how = running.output.ended()?;
            Some(format!("the service `{id}` {how} while it was needed{}", running.output.last()))
        };
        needed.iter().filter_map(of).collect()
    }

    /// Ends all but these.
    pub fn end_all_but(&mut self, needed: &[String]) {
        let over: Vec<&str> =
            self.running.keys().copied().filter(|id| !needed.iter().any(|needed| needed == id)).collect();
        // Told at once, so that they end side by side.
        for id in &over {
            self.running.get_mut(id).map(Running::tell_to_end);
        }
        over.into_iter().for_each(|id| self.end_one(id));
    }

    fn end_one(&mut self, id: &str) {
        let Some((id, mut running)) = self.running.remove_entry(id) else { return };
        running.tell_to_end();
        let mut facts = running.facts;
        if let Ok(Ok(finished)) = running.thread.join() {
            facts.program = finished.facts.program;
            facts.orphans = finished.facts.orphans;
        }
        facts.duration = running.started.elapsed();
        self.ended.insert(id, (facts, None));
    }

    /// What was seen of these services, once they ended.
    #[must_use]
    pub fn facts(&self, needed: &[String]) -> Vec<ServiceFacts> {
        needed.iter().filter_map(|id| Some(self.ended.get(id.as_str())?.0.clone())).collect()
    }
}

impl Running {
    /// Whether it lasted is asked before, not of what it makes of the signal.
    fn tell_to_end(&mut self) {
        if self.stop.signal().is_none() {
            self.facts.lasted = self.output.ended().is_none();
            self.stop.stop(TERM);
        }
    }
}

impl Drop for Services<'_> {
    /// Nothing is left running, however the checks ended.
    fn drop(&mut self) {
        self.end_all_but(&[]);
    }
}

fn facts(service: &Service) -> ServiceFacts {
    ServiceFacts {
        id: service.id.clone(),
        command: service.command.clone(),
        program: None,
        ready: None,
        startup: Duration::ZERO,
        duration: Duration::ZERO,
        lasted: false,
        orphans: Vec::new(),
    }
}

fn how_it_ended(ended: &Ended) -> String {
    match ended {
        Ended::Exit(code) => format!("ended with exit code {code}"),
        Ended::Signal(signal) => format!("was ended by signal {signal}"),
        Ended::NotStarted(why) => format!("could not be started ({why}), and so it ended"),
        other => format!("ended ({})", other.reason().unwrap_or_default()),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
