//! The placebo: a record that stands where a precedent would, is as long, and says nothing of what it
//! replaces.
//!
//! A placebo is drawn for each record that is written, from seed, episode and step. Its constraints are
//! those of the record under a permutation of all of the environment's constraints, every permutation as
//! likely as any other: sets and pairs keep their sizes and stay within each other as the formal assistant
//! asks for, and every choice of names is as likely whatever the record holds. Its digest is drawn. Its step
//! index is the record's: it tells when a record was written and not what was decided, and another one would
//! give the placebo away as a step that has yet to come.
//!
//! The names differ in length, so the placebo's digest is drawn anew until the placebo has as many tokens as
//! the record, at most [`MAX_DRAWS`] times; then the draw is taken that comes nearest. A digest's letters
//! say nothing, so nothing is told by which of them was taken. Determinism: D1.

use std::collections::BTreeMap;

use axilog::hash::Hash;

use super::artifact::Collisions;
use super::draw::{draw_below, draw_digest};
use super::environment::{IdSet, Place};
use super::error::AblationError;
use super::precedent::PrecedentRecord;
use super::prompt_frame::TokenizedText;

/// How many digests are drawn at most for a placebo that has as many tokens as its record.
pub const MAX_DRAWS: u32 = 4096;

/// A placebo, as it goes into the memory and into prompts.
#[derive(Clone, Debug)]
pub struct Placebo {
    /// The record with drawn content.
    pub record: PrecedentRecord,
    /// The record's text and tokens.
    pub text: TokenizedText,
    /// How many tokens the placebo has more than the record that it replaces.
    pub length_gap: i64,
}

/// Draws the placebo of `record`, which was written at `place` and has `tokens` tokens, in an environment
/// with these constraints. `tokenize` splits a text into tokens.
///
/// # Errors
/// What `tokenize` gives.
pub fn draw_placebo(
    record: &PrecedentRecord,
    tokens: u64,
    constraints: &IdSet,
    place: Place,
    tokenize: impl Fn(String) -> Result<TokenizedText, AblationError>,
) -> Result<Placebo, AblationError> {
    let permuted = permute_constraints(record, constraints, place);
    let draw = |number| -> Result<Placebo, AblationError> {
        let record = PrecedentRecord {
            artifact_digest: draw_placebo_digest(place, number),
            ..permuted.clone()
        };
        let text = tokenize(record.canonical())?;
        Ok(Placebo {
            record,
            length_gap: text.len().cast_signed().saturating_sub_unsigned(tokens),
            text,
        })
    };
    let mut nearest = draw(0)?;
    for number in 1..MAX_DRAWS {
        if nearest.length_gap == 0 {
            break;
        }
        let drawn = draw(number)?;
        if drawn.length_gap.unsigned_abs() < nearest.length_gap.unsigned_abs() {
            nearest = drawn;
        }
    }
    Ok(nearest)
}

fn draw_placebo_digest(place: Place, number: u32) -> Hash {
    draw_digest(place, &format!("placebo digest {number}"))
}

/// Replaces the constraints of a record by others, by a permutation that is drawn at `place`.
fn permute_constraints(
    record: &PrecedentRecord,
    constraints: &IdSet,
    place: Place,
) -> PrecedentRecord {
    let drawn = draw_permutation(constraints.iter().collect(), place);
    let permutation: BTreeMap<&String, &String> = constraints.iter().zip(drawn).collect();
    // A record holds only constraints of its environment: the formal assistant sees to it.
    let permute = |id: &String| permutation.get(id).map(|id| (*id).clone());
    let permute_all = |ids: &IdSet| ids.iter().filter_map(permute).collect::<IdSet>();
    let pairs = record.conflict_attribution.iter();
    PrecedentRecord {
        authorized_violations: permute_all(&record.authorized_violations),
        required_preservations: permute_all(&record.required_preservations),
        conflict_attribution: pairs
            .filter_map(|(kept, broken)| permute(kept).zip(permute(broken)))
            .collect::<Collisions>(),
        artifact_digest: Hash::default(),
        step_index: record.step_index,
    }
}

/// Draws an order of `items`, every order as likely as any other.
fn draw_permutation<T>(mut items: Vec<T>, place: Place) -> Vec<T> {
    let mut drawn = Vec::with_capacity(items.len());
    while !items.is_empty() {
        let purpose = format!("placebo constraint {}", drawn.len());
        let index = draw_below(items.len() as u64, place, &purpose);
        drawn.push(items.swap_remove(usize::try_from(index).unwrap_or(0)));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axilog_oracle::tokens::Tiktoken;

    use super::*;
    use crate::environment_source::open_harbour;
    use crate::experiment::build_frame;
    use crate::pad::DEFAULT_PAD;

    fn ids(names: &[&str]) -> IdSet {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn place(seed: u64, step: u32) -> Place {
        Place {
            seed,
            episode: 1,
            step,
        }
    }

    fn record(kept: &[&str], broken: &[&str]) -> PrecedentRecord {
        let pairs = kept.iter().flat_map(|kept| {
            broken
                .iter()
                .map(|broken| (kept.to_string(), broken.to_string()))
        });
        PrecedentRecord {
            authorized_violations: ids(broken),
            required_preservations: ids(kept),
            conflict_attribution: pairs.collect(),
            artifact_digest: axilog::hash::sha256(b"an artifact"),
            step_index: 9,
        }
    }

    const NAMES: [&str; 5] = [
        "crew-rest",
        "fuel-reserve",
        "night-quiet",
        "île-supply",
        "条約",
    ];

    /// Whatever a record holds, each of the five constraints is as often what the placebo keeps: the names
    /// tell nothing of it.
    #[test]
    fn every_name_is_as_likely_whatever_the_record_holds() {
        let constraints = ids(&NAMES);
        for kept in NAMES {
            let broken = NAMES.iter().filter(|name| **name != kept).take(2);
            let record = record(&[kept], &broken.copied().collect::<Vec<_>>());
            let mut counts: BTreeMap<String, u32> = BTreeMap::new();
            for number in 0..1000 {
                let drawn = permute_constraints(&record, &constraints, place(number, 3));
                assert_eq!(drawn.authorized_violations.len(), 2);
                assert!(
                    drawn
                        .required_preservations
                        .is_disjoint(&drawn.authorized_violations)
                );
                assert!(drawn.conflict_attribution.iter().all(|(kept, broken)| {
                    drawn.required_preservations.contains(kept)
                        && drawn.authorized_violations.contains(broken)
                }));
                assert_eq!(drawn.conflict_attribution.len(), 2);
                assert_eq!(drawn.step_index, 9);
                for kept in drawn.required_preservations {
                    *counts.entry(kept).or_default() += 1;
                }
            }
            // 200 are expected of each, with a standard deviation of 13.
            assert!(
                counts.len() == 5 && counts.values().all(|n| (150..250).contains(n)),
                "{counts:?}"
            );
        }
    }

    /// The placebo does not depend on the record but for its sizes, its length and its step.
    #[test]
    fn a_placebo_is_drawn_anew_at_each_place_and_is_the_same_each_time() {
        let tokenizer = Arc::new(Tiktoken::for_name("o200k_base").unwrap());
        let trap = open_harbour().unwrap();
        let (frame, _) = build_frame(&trap, tokenizer, DEFAULT_PAD, None).unwrap();
        let tokenize = |text: String| frame.tokenize(text);
        let constraints = ids(&NAMES);
        let record = record(&["条約"], &["île-supply"]);
        let tokens = tokenize(record.canonical()).unwrap().len();
        let draw = |place| draw_placebo(&record, tokens, &constraints, place, tokenize).unwrap();
        let placebos: Vec<Placebo> = (0..50).map(|step| draw(place(1, step))).collect();
        for (step, placebo) in placebos.iter().enumerate() {
            assert_eq!(placebo.record, draw(place(1, step as u32)).record);
            assert_eq!((placebo.length_gap, placebo.text.len()), (0, tokens));
            assert_ne!(placebo.record.artifact_digest, record.artifact_digest);
        }
        // Runs replay only as long as their placebos are drawn as they were.
        let frozen = r#"{"artifact_digest":"35440507d0f3961393f348cffcf21fb7191c3144df2892f6d3a44155bba0a8fa","authorized_violations":["night-quiet"],"conflict_attribution":[["条約","night-quiet"]],"required_preservations":["条約"],"step_index":9}"#;
        assert_eq!(placebos[0].text.text(), frozen);
        let texts: IdSet = placebos.iter().map(|p| p.text.text().to_owned()).collect();
        assert_eq!(texts.len(), 50);
        // A length that no digest can give is approached as far as the draws go.
        let far = draw_placebo(&record, 500, &constraints, place(1, 0), tokenize).unwrap();
        let gap = far.text.len() as i64 - 500;
        assert_eq!(far.length_gap, gap);
        let longest = (0..MAX_DRAWS).map(|number| {
            let digest = draw_placebo_digest(place(1, 0), number);
            let record = PrecedentRecord {
                artifact_digest: digest,
                ..far.record.clone()
            };
            tokenize(record.canonical()).unwrap().len() as i64
        });
        assert_eq!(gap + 500, longest.max().unwrap());
    }
}
