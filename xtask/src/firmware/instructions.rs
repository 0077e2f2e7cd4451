//! The instructions of a call by the number of policies, which c-tests/firmware/instructions.c counts
//! with the emulator's clock.

use std::collections::BTreeMap;
use std::path::Path;

use super::programs::{DEVICE_RAM, c_test_path};
use super::target::{Program, Target};
use crate::process::TaskResult;

/// An upper bound of a call's instructions: `base + slope * policies` for every measured number of
/// policies.
pub struct Bound {
    /// The measured instructions by the number of policies.
    pub counts: BTreeMap<u64, u64>,
    pub base: u64,
    pub slope: u64,
}

/// Measures the instructions and returns the bound of each function.
pub fn measure_instructions(
    target: &Target,
    library: &Path,
) -> TaskResult<BTreeMap<String, Bound>> {
    let image = target.link(&Program {
        name: "instructions",
        sources: vec![c_test_path("firmware/instructions.c")],
        library,
        uses_libc: false,
        ram_bytes: DEVICE_RAM,
        compiler_arguments: Vec::new(),
    })?;
    let arguments = ["-icount", "shift=0"];
    let printed = target
        .large
        .run(&image, &target.image_directory()?, &arguments)?;
    let mut rows = printed.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let name = words.next()?;
        Some((
            name,
            words.next()?.parse::<u64>().ok()?,
            words.next()?.parse::<u64>().ok()?,
        ))
    });
    // The first row has the ticks of a loop of known length.
    let Some(("instructions", known, ticks @ 1..)) = rows.next() else {
        return Err(format!(
            "instructions.c prints {printed:?}, expected a first line `instructions COUNT TICKS`"
        )
        .into());
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
        .map(|(name, counts)| (name, bound_counts(counts)))
        .collect())
}

/// Finds the line through the first point that has no other point above it.
fn bound_counts(counts: BTreeMap<u64, u64>) -> Bound {
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
