//! Sixteen lanes, for many messages on a processor with AVX-512.

use core::array::from_fn;

use crate::lanes::Lane;
use crate::wide::{WIDTH, WideInstructions, WideStates};

/// The fewest messages at a time with which the wide vectors are faster than the SHA instructions.
const LEAST: usize = 9;

/// Puts the digests of the messages that `begin` gives a lane for into their places, as long as enough messages are left.
/// The lanes that were begun and not ended are left to the caller.
pub fn fill_digests<'m, 'd>(
    instructions: WideInstructions,
    mut begin: impl FnMut() -> Option<Lane<'m, 'd>>,
) -> [Option<Lane<'m, 'd>>; WIDTH] {
    let mut lanes: [Option<Lane<'_, '_>>; WIDTH] = from_fn(|_| begin());
    let mut states = WideStates::NONE;
    for (number, lane) in lanes.iter().enumerate() {
        if let Some(lane) = lane {
            states.set(number, lane.state);
        }
    }
    while lanes.iter().flatten().count() >= LEAST {
        let counts = lanes
            .iter()
            .flatten()
            .map(|lane| lane.blocks.blocks().len());
        let count = counts.min().unwrap_or(0);
        let blocks = lanes.each_ref().map(|lane| match lane {
            Some(lane) => lane.blocks.blocks(),
            None => &[],
        });
        instructions.compress(&mut states, &blocks, count);
        for (number, place) in lanes.iter_mut().enumerate() {
            if let Some(mut lane) = place.take_if(|lane| !lane.blocks.pass(count)) {
                lane.state = states.get(number);
                lane.finish();
                *place = begin();
                if let Some(lane) = place {
                    states.set(number, lane.state);
                }
            }
        }
    }
    for (number, lane) in lanes.iter_mut().enumerate() {
        if let Some(lane) = lane {
            lane.state = states.get(number);
        }
    }
    lanes
}
