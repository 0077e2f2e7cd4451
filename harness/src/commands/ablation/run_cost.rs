//! What runs cost, printed and asked for before the first call.

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};

use axilog_ablation::AblationError;
use axilog_ablation::environment::Environment;
use axilog_ablation::prompt_frame::{PromptFrame, TokenizedText};
use axilog_ablation::run::RunPlan;
use axilog_ablation::sampling::Sampling;

use crate::error::CommandError;
use crate::output::write_remark;

/// The cost of runs that begin anew. Those that go on cost less, and calls that fail are made again.
#[derive(Debug)]
pub(super) struct RunCost {
    calls: u64,
    /// How many tokens each prompt has; `None` where its length is not held constant.
    prompt_tokens: Option<u64>,
    max_answer_tokens: u64,
    /// How many seeds run side by side.
    parallel: u64,
}

impl RunCost {
    /// The cost of `plans` in `environment`, in prompts of `frame` with `sampling`, where `parallel` seeds run side by side.
    pub(super) fn new<'a>(
        plans: impl Iterator<Item = &'a RunPlan>,
        environment: &dyn Environment,
        frame: Option<&PromptFrame>,
        sampling: Sampling,
        parallel: usize,
    ) -> Result<RunCost, AblationError> {
        let empty = TokenizedText::default();
        let measured = frame
            .map(|frame| frame.assemble(None, &empty))
            .transpose()?;
        Ok(RunCost {
            calls: plans.map(|plan| plan.step_count(environment)).sum(),
            prompt_tokens: measured.map(|(_, measures)| measures.prompt_tokens),
            max_answer_tokens: u64::try_from(sampling.max_tokens).unwrap_or(0),
            parallel: parallel.max(1) as u64,
        })
    }

    /// Prints the cost. Where `is_agreed` does not say so already, it asks on a terminal whether to go on.
    pub(super) fn agree(&self, is_agreed: bool) -> Result<(), CommandError> {
        write_remark(&self.to_string());
        if is_agreed {
            return Ok(());
        }
        let mut stdin = io::stdin().lock();
        if !stdin.is_terminal() {
            return Err(CommandError::NobodyToAgree);
        }
        // Where nobody sees the question, nobody answers it with yes.
        let _ = write!(
            io::stderr(),
            "axilog: go on? (yes or no; --yes does not ask) "
        );
        match reads_yes(&mut stdin) {
            true => Ok(()),
            false => Err(CommandError::CostNotAgreed),
        }
    }
}

impl fmt::Display for RunCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.calls;
        write!(f, "the cost is at most {calls} calls, ")?;
        match self.prompt_tokens {
            Some(each) => write!(f, "{} prompt tokens ({each} a call)", each * calls)?,
            None => write!(f, "prompts of various lengths")?,
        }
        let answers = self.max_answer_tokens * calls;
        let tenths = calls.div_ceil(360 * self.parallel);
        let side_by_side = match self.parallel {
            1 => String::new(),
            seeds => format!(", {seeds} seeds side by side"),
        };
        let (hours, tenth) = (tenths / 10, tenths % 10);
        write!(
            f,
            ", {answers} tokens of answers (--max-tokens {}), and {hours}.{tenth} hours for each second that a call takes{side_by_side}; failed calls that are made again are not counted",
            self.max_answer_tokens
        )
    }
}

/// Reads a line, and tells whether it says yes.
fn reads_yes(input: &mut impl BufRead) -> bool {
    let mut line = String::new();
    let read = input.read_line(&mut line);
    read.is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_agrees() {
        for (line, expected) in [
            ("yes\n", true),
            (" Y \r\n", true),
            ("y", true),
            ("no\n", false),
            ("\n", false),
            ("", false),
            ("yesterday\n", false),
        ] {
            assert_eq!(reads_yes(&mut line.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn the_cost_is_said_in_calls_tokens_and_hours() {
        let cost = |prompt_tokens, parallel| RunCost {
            calls: 4500,
            prompt_tokens,
            max_answer_tokens: 1024,
            parallel,
        };
        assert_eq!(
            cost(Some(1269), 1).to_string(),
            "the cost is at most 4500 calls, 5710500 prompt tokens (1269 a call), 4608000 tokens of answers (--max-tokens 1024), and 1.3 hours for each second that a call takes; failed calls that are made again are not counted"
        );
        assert!(
            cost(None, 1)
                .to_string()
                .contains("4500 calls, prompts of various lengths, 4608000 tokens")
        );
        assert!(cost(None, 4).to_string().contains(
            "and 0.4 hours for each second that a call takes, 4 seeds side by side; failed"
        ));
    }
}
