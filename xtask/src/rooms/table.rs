//! The table: which room may know which, and what a room must not touch.

/// A crate whose modules are rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Crate {
    /// As it is named in paths.
    pub(crate) name: &'static str,
    /// Its sources, below the repository's root.
    pub(crate) folder: &'static str,
}

pub(crate) const PRODUCT: Crate = Crate { name: "redgreen", folder: "src" };
pub(crate) const PARSERS: Crate = Crate { name: "redgreen_parsers", folder: "parsers/src" };
pub(crate) const CRATES: [Crate; 2] = [PRODUCT, PARSERS];

/// A module with everything below it, as far as no longer name in the table claims it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) of: Crate,
    /// The module's path in its crate; empty for the crate's root.
    pub(crate) name: &'static str,
    /// The modules and crates of this repository that it may use beside itself.
    pub(crate) may: &'static [&'static str],
    /// Paths that it must not use.
    pub(crate) never: &'static [&'static str],
    /// Macros that it must not call.
    pub(crate) never_calls: &'static [&'static str],
}

/// What a room touches the world with. A pure room has none of it.
const WORLD: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::os::unix::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "anstream",
    "clap",
    "gix",
    "ignore",
    "jiff::Timestamp::now",
    "jiff::Zoned::now",
    "rayon",
    "rustix",
    "signal_hook",
    "tempfile",
];

const PRINTING: &[&str] = &["dbg", "eprint", "eprintln", "print", "println"];

/// One place starts processes, so that one place can end them.
const COMMAND: &[&str] = &["std::process::Command", "std::net"];

pub(crate) const ROOMS: &[Room] = &[
    Room { of: PRODUCT, name: "", may: &["cli"], never: COMMAND, never_calls: PRINTING },
    Room { of: PRODUCT, name: "digest", may: &[], never: WORLD, never_calls: PRINTING },
    Room {
        of: PRODUCT,
        name: "plan",
        may: &["digest", "redgreen_parsers"],
        never: WORLD,
        never_calls: PRINTING,
    },
    Room {
        of: PRODUCT,
        name: "observe",
        may: &["plan", "digest", "redgreen_parsers"],
        never: COMMAND,
        never_calls: PRINTING,
    },
    // What was seen is plain data: judges and records hold it.
    Room {
        of: PRODUCT,
        name: "observe::facts",
        may: &["plan", "digest", "redgreen_parsers"],
        never: WORLD,
        never_calls: PRINTING,
    },
    Room {
        of: PRODUCT,
        name: "observe::fingerprint",
        may: &["observe::facts", "plan", "digest", "redgreen_parsers"],
        never: WORLD,
        never_calls: PRINTING,
    },
    Room {
        of: PRODUCT,
        name: "observe::process",
        may: &["observe", "plan", "digest", "redgreen_parsers"],
        never: &["std::net"],
        never_calls: PRINTING,
    },
    // Whether a service answers is seen from outside.
    Room {
        of: PRODUCT,
        name: "observe::service",
        may: &["observe", "plan", "digest", "redgreen_parsers"],
        never: &["std::process::Command"],
        never_calls: PRINTING,
    },
    Room {
        of: PRODUCT,
        name: "judge",
        may: &["plan", "observe::facts", "observe::fingerprint", "digest", "redgreen_parsers"],
        never: WORLD,
        never_calls: PRINTING,
    },
    Room {
        of: PRODUCT,
        name: "record",
        may: &["judge", "plan", "observe::facts", "observe::fingerprint", "digest", "redgreen_parsers"],
        never: COMMAND,
        never_calls: PRINTING,
    },
    Room {
        of: PRODUCT,
        name: "present",
        may: &["record", "judge", "plan", "observe::facts", "digest", "redgreen_parsers"],
        never: WORLD,
        never_calls: PRINTING,
    },
    Room {
        of: PRODUCT,
        name: "cli",
        may: &["present", "record", "judge", "observe", "plan", "digest", "redgreen_parsers"],
        never: COMMAND,
        never_calls: &[],
    },
    Room { of: PARSERS, name: "", may: &[], never: WORLD, never_calls: PRINTING },
];

/// The room that a module belongs to: the one with the longest name that holds it.
///
/// A module of the product at the top level that no room names is none: it has to be put in the table.
pub(crate) fn room_of(of: Crate, module: &[String]) -> Option<&'static Room> {
    let claims = |room: &&Room| room.of == of && holds(room.name, module);
    let room = ROOMS.iter().filter(claims).max_by_key(|room| room.name.len())?;
    (of != PRODUCT || !room.name.is_empty() || module.is_empty()).then_some(room)
}

/// Whether a path is this one or lies below it.
pub(crate) fn holds(name: &str, path: &[String]) -> bool {
    let mut path = path.iter();
    name.split("::").filter(|part| !part.is_empty()).all(|part| path.next().is_some_and(|next| next == part))
}
