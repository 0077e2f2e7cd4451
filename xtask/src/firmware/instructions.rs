//! Instructions per call by the number of policies, counted by the emulator
//! (c-tests/firmware/instructions.c).

use std::collections::BTreeMap;
use std::path::Path;

use super::programs::{DEVICE_RAM, c_test};
use super::target::{Program, Target};
use crate::process::Done;

/// A call's instructions: at most `base + slope * policies` for every number that was measured.
pub struct Bound {
    /// By the number of policies.
    pub counts: BTreeMap<u64, u64>,
    pub base: u64,
    pub slope: u64,
}

/// The bounds by function.
pub fn measure(target: &Target, library: &Path) -> Done<BTreeMap<String, Bound>> {
    let image = target.link(&Program {
        name: "instructions",
        sources: vec![c_test("firmware/instructions.c")],
        library,
        libc: false,
        ram: DEVICE_RAM,
        arguments: Vec::new(),
    })?;
    let arguments = ["-icount", "shift=0"];
    let printed = target.large.run(&image, &target.place()?, &arguments)?;
    let mut rows = printed.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let name = words.next()?;
        Some((
            name,
            words.next()?.parse::<u64>().ok()?,
            words.next()?.parse::<u64>().ok()?,
        ))
    });
    // The first row says how many ticks a loop of known length takes.
    let Some(("instructions", known, ticks @ 1..)) = rows.next() else {
        return Err(format!("not what instructions.c prints: {printed}").into());
    };
    let mut counts: BTreeMap<String, BTreeMap<u64, u64>> = BTreeMap::new();
    for (name, policies, elapsed) in rows {
        let instructions = elapsed * known / ticks;
        counts
            .entry(name.into())
            .or_default()
            .insert(policies, instructions);
    }
    Ok(counts
        .into_iter()
        .map(|(name, counts)| (name, bound(counts)))
        .collect())
}

/// The line through the first point that no other lies above.
fn bound(counts: BTreeMap<u64, u64>) -> Bound {
    let base = counts.get(&0).copied().unwrap_or_default();
    let slope = counts
        .iter()
        .filter(|&(&policies, _)| policies > 0)
        .map(|(&policies, &count)| count.saturating_sub(base).div_ceil(policies))
        .max()
        .unwrap_or_default();
    Bound {
        counts,
        base,
        slope,
    }
}
