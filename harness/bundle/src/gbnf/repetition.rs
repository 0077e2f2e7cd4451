//! Repetitions: `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, with llama.cpp's bounds on them.

use super::error::GrammarError;
use super::parse::{MAX_REPEAT, Parser, Sequence};
use super::rules::Symbol;

/// How often something repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    least: u64,
    /// `None` for any number.
    most: Option<u64>,
}

impl Parser<'_> {
    /// Reads what says how often the last unit of `sequence` repeats, and repeats it. A repetition may
    /// follow another: `"a"+?` is `("a"+)?`.
    pub(super) fn repetition(
        &mut self,
        sequence: &mut Sequence,
        nested: bool,
    ) -> Result<(), GrammarError> {
        let at = self.at;
        let sign = self.peek();
        self.at += 1;
        let bounds = match sign {
            Some('*') => Bounds {
                least: 0,
                most: None,
            },
            Some('+') => Bounds {
                least: 1,
                most: None,
            },
            Some('?') => Bounds {
                least: 0,
                most: Some(1),
            },
            _ => self.bounds(at, nested)?,
        };
        self.space(nested);
        let unit = sequence.last_unit().to_vec();
        if unit.is_empty() {
            let sign = sign.unwrap_or_default();
            return self.wrong(at, format!("{sign:?} has nothing before it to repeat"));
        }
        // llama.cpp's measure of the rules that it would have to write.
        let times = match bounds.most {
            Some(most) if most > 0 => most,
            _ => bounds.least.max(1),
        };
        sequence.rules_of_last = sequence.rules_of_last.saturating_mul(times);
        if sequence.rules_of_last > MAX_REPEAT {
            let reason = format!(
                "what is repeated has so many rules of its own that they are written {} times, and llama.cpp allows {MAX_REPEAT}; repeat less, or give the inner part a rule of its own",
                sequence.rules_of_last
            );
            return self.wrong(at, reason);
        }
        self.write_out(&unit, bounds, sequence)
    }

    /// Puts `unit` as often as `bounds` says in the place of the last unit.
    fn write_out(
        &mut self,
        unit: &[Symbol],
        bounds: Bounds,
        sequence: &mut Sequence,
    ) -> Result<(), GrammarError> {
        self.unfinished -= sequence.forget_last_unit();
        let one = match unit {
            [symbol] => *symbol,
            _ => {
                let inlined = self.rules.inlined(unit);
                self.check_size(inlined)?
            }
        };
        for _ in 0..bounds.least {
            self.push(sequence, one)?;
        }
        match bounds.most {
            None => {
                let any = self.rules.any_number(one);
                let any = self.check_size(any)?;
                self.push(sequence, any)?;
            }
            Some(most) => {
                let mut more = None;
                for _ in bounds.least..most {
                    let next: Vec<Symbol> = [Some(one), more].into_iter().flatten().collect();
                    let either = self.rules.either(&next, &[]);
                    more = Some(self.check_size(either)?);
                }
                if let Some(more) = more {
                    self.push(sequence, more)?;
                }
            }
        }
        Ok(())
    }

    /// Reads `m}`, `m,}` or `m,n}`; the brace at `start` has been read.
    fn bounds(&mut self, start: usize, nested: bool) -> Result<Bounds, GrammarError> {
        self.space(nested);
        let least_at = self.at;
        let least = self.number()?;
        self.space(nested);
        let mut most = Some(least);
        if self.take(",") {
            self.space(nested);
            most = match self.peek() {
                Some('0'..='9') => Some(self.number()?),
                _ => None,
            };
            self.space(nested);
        }
        if !self.take("}") {
            let reason = format!("found {}, expected }}", self.describe_next());
            return self.wrong(self.at, reason);
        }
        if least > MAX_REPEAT {
            let reason = format!("expected a number from 0 to {MAX_REPEAT}, llama.cpp's bound");
            return self.wrong(least_at, reason);
        }
        // llama.cpp takes a greater upper bound for none at all.
        let most = most.filter(|most| *most <= MAX_REPEAT);
        if most.is_some_and(|most| most < least) {
            let reason = "the second number is below the first; llama.cpp never ends on that";
            return self.wrong(start, reason);
        }
        Ok(Bounds { least, most })
    }

    fn number(&mut self) -> Result<u64, GrammarError> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        match rest.get(..end).map(str::parse) {
            Some(Ok(number)) => {
                self.at += end;
                Ok(number)
            }
            _ => self.wrong(
                self.at,
                format!(
                    "found {}, expected a number from 0 to {MAX_REPEAT}",
                    self.describe_next()
                ),
            ),
        }
    }
}
