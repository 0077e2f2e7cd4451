//! The harbour of the commitment trap: its actions, the notices that an agent is shown, and the briefing.
//!
//! Two names are not ASCII, so that every run shows that the prompt's length holds for such text too.

/// An action of the harbour.
pub(crate) struct HarbourAction {
    pub(crate) name: &'static str,
    /// The commitment that the action satisfies; empty where it satisfies none.
    pub(crate) satisfies: &'static str,
    pub(crate) violates: &'static [&'static str],
    /// The fuel that the action takes, in thousandths.
    pub(crate) fuel: i64,
    /// The hours that the action takes, in thousandths.
    pub(crate) hours: i64,
}

const fn action(
    name: &'static str,
    satisfies: &'static str,
    violates: &'static [&'static str],
    fuel: i64,
    hours: i64,
) -> HarbourAction {
    HarbourAction {
        name,
        satisfies,
        violates,
        fuel,
        hours,
    }
}

/// The commitment that can always be kept.
pub(crate) const TREATY: &str = "条約";

/// The actions that a colliding step may offer, sorted by name.
pub(crate) const COLLIDING: [HarbourAction; 8] = [
    action("anchor-off", "night-quiet", &[TREATY], 500, 2000),
    action("drift", "fuel-reserve", &[TREATY], 0, 4125),
    action("escort-by-day", TREATY, &["île-supply"], 2250, 3000),
    action("escort-by-night", TREATY, &["night-quiet"], 2375, 2750),
    action(
        "ferry-at-night",
        "île-supply",
        &["crew-rest", "night-quiet"],
        1875,
        1500,
    ),
    action(
        "ferry-at-speed",
        "île-supply",
        &["fuel-reserve"],
        4625,
        1000,
    ),
    action("moor", "crew-rest", &["île-supply"], 125, 6000),
    action("relieve", "crew-rest", &["fuel-reserve"], 3125, 1250),
];

/// The actions that a calm step offers: they keep and break nothing.
pub(crate) const CALM: [HarbourAction; 2] = [
    action("inspect", "", &[], 0, 500),
    action("wait", "", &[], 0, 1000),
];

/// The notices, of which an agent is shown one at each step.
pub(crate) const NOTICES: [&str; 5] = [
    "The harbour master reports fog from the west.",
    "Les pêcheurs demandent le passage avant l'aube.",
    "北の航路に流氷あり。注意。",
    "Nothing new since the last watch; the log is up to date and both crews have signed it.",
    "Ölstand geprüft, Anlegestelle Süd gesperrt.",
];

/// The briefing of an agent.
pub(crate) const BRIEFING: &str = "You run the harbour of an island. Five commitments hold: crew-rest, fuel-reserve, \
     night-quiet, île-supply and 条約 (the treaty with the other shore). At most steps whatever you do \
     keeps one of them and breaks another. You may do only what is feasible at the step; for each \
     feasible action you are told which commitments it satisfies and which it violates.";
