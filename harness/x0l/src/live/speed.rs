//! The speed of a session's server, measured with a few questions before anything is spent.
//!
//! A call that takes longer than its time limit fails, and a call that fails for good voids the session. So a condition
//! whose answers cannot come in time is known before. Two questions tell the time of a token of the prompt from that of a
//! token of the answer: one with the longest prompt of the session and a short answer, and one of the sentinels, whose
//! answers are long.

use std::time::Duration;

use axilog::evidence::observation::Params;
use axilog_oracle::{Oracle, Question, TokenUsage};

use super::plan::SessionPlan;
use crate::budget::{Budget, PromptTokens, expected_answer};
use crate::condition::Condition;
use crate::error::X0lError;
use crate::sentinel;
use crate::template::CyclePrompt;

/// The most tokens of the answer to the longest prompt.
const SHORT_ANSWER: i32 = 8;

/// The fewest tokens of an answer from which the time of a token is measured; a shorter one is followed by the next
/// sentinel.
const LONG_ANSWER: u64 = 32;

/// The speed of a server, and what follows from it for each condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpeed {
    /// The number of questions that were asked: at most four.
    pub questions: u64,
    /// The time for a token of a prompt, in microseconds.
    pub prompt_token_us: u64,
    /// The time for a token of an answer, in microseconds.
    pub answer_token_us: u64,
    /// The time limit of a call, in milliseconds.
    pub time_limit_ms: u64,
    /// The conditions of the session, in order.
    pub conditions: Vec<ConditionSpeed>,
}

/// What the speed of a server means for a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionSpeed {
    /// The condition.
    pub condition: Condition,
    /// The time for the longest prompt, and an answer of the length that is expected, in milliseconds.
    pub expected_ms: u64,
    /// The longest answer to the longest prompt that comes within the time limit, in tokens.
    pub longest_answer: u64,
}

/// A question that was answered.
struct MeasuredCall {
    usage: TokenUsage,
    time: Duration,
}

/// Measures the server of `plan`; `None` where no server is asked. The inner error says in words why nothing can be
/// measured: a question got no answer, or one without its tokens.
///
/// # Errors
/// As [`Oracle::ask_unrecorded`]; [`X0lError::Live`] where tokens cannot be counted.
pub fn measure_speed(
    plan: &SessionPlan,
    endpoint: &mut Oracle,
) -> Result<Option<Result<ServerSpeed, String>>, X0lError> {
    let Some(transport) = &plan.frozen.transport else {
        return Ok(None);
    };
    let prompts = list_longest_prompts(plan)?;
    let longest = prompts.iter().max_by_key(|(_, tokens, _)| tokens.expected);
    let Some((_, _, prompt)) = longest else {
        return Ok(None);
    };
    let params = Params {
        max_tokens: Some(SHORT_ANSWER),
        temperature: Some(0),
        ..Params::NULL
    };
    let model = &plan.settings.model;
    let question = Question::new(model, &prompt.system, &prompt.user, params);
    let long_prompt = match ask(plan, endpoint, prompt, &question)? {
        Ok(call) => call,
        Err(reason) => return Ok(Some(Err(reason))),
    };
    let mut questions = 1;
    let mut long_answer = None;
    for prompt in &sentinel::prompts() {
        let question = sentinel::build_question(model, prompt);
        let call = match ask(plan, endpoint, prompt, &question)? {
            Ok(call) => call,
            Err(reason) => return Ok(Some(Err(reason))),
        };
        questions += 1;
        let is_long = call.usage.completion_tokens >= LONG_ANSWER;
        long_answer = Some(call);
        if is_long {
            break;
        }
    }
    let Some(long_answer) = long_answer else {
        return Ok(None);
    };
    let Some((prompt_token_us, answer_token_us)) = solve(&long_prompt, &long_answer) else {
        let reason = "the answers have too few tokens to measure the time of one";
        return Ok(Some(Err(reason.to_owned())));
    };
    let limit_us = transport.timeout_ms.saturating_mul(1000);
    let conditions = prompts.iter().map(|(condition, tokens, _)| {
        let prompt_us = tokens.expected.saturating_mul(prompt_token_us);
        let answer_us = expected_answer(*condition).saturating_mul(answer_token_us);
        let left = limit_us.saturating_sub(prompt_us);
        ConditionSpeed {
            condition: *condition,
            expected_ms: prompt_us.saturating_add(answer_us) / 1000,
            longest_answer: left
                .checked_div(answer_token_us)
                .unwrap_or(plan.frozen.max_tokens)
                .min(plan.frozen.max_tokens),
        }
    });
    Ok(Some(Ok(ServerSpeed {
        questions,
        prompt_token_us,
        answer_token_us,
        time_limit_ms: transport.timeout_ms,
        conditions: conditions.collect(),
    })))
}

/// Lists the longest prompt of each condition that is sent, with its tokens.
fn list_longest_prompts(
    plan: &SessionPlan,
) -> Result<Vec<(Condition, PromptTokens, CyclePrompt)>, X0lError> {
    let budget = Budget::new(&plan.frozen);
    let mut longest: Vec<(Condition, PromptTokens, CyclePrompt)> = Vec::new();
    for (number, (condition, task)) in (1..).zip(plan.cycles()) {
        let prompt = plan.render_prompt(task, number);
        let tokens = plan.settings.token_counter.count_prompt(&prompt)?;
        if budget.is_too_long(tokens) {
            continue;
        }
        match longest.iter_mut().find(|(id, _, _)| *id == condition) {
            None => longest.push((condition, tokens, prompt)),
            Some(known) if known.1.expected < tokens.expected => {
                *known = (condition, tokens, prompt);
            }
            Some(_) => {}
        }
    }
    Ok(longest)
}

/// Asks a question, and gives its tokens and its time, or says in words why it cannot.
fn ask(
    plan: &SessionPlan,
    endpoint: &mut Oracle,
    prompt: &CyclePrompt,
    question: &Question,
) -> Result<Result<MeasuredCall, String>, X0lError> {
    let exchange = endpoint.ask_unrecorded(question)?;
    let answer = match &exchange.reply {
        Ok(answer) => answer,
        Err(fault) => return Ok(Err(format!("a question got no answer: {fault}"))),
    };
    let counted = plan.settings.token_counter.count_usage(prompt, answer)?;
    let time = exchange.attempts.last().map(|attempt| attempt.duration);
    Ok(counted.map(|usage| MeasuredCall {
        usage,
        time: time.unwrap_or_default(),
    }))
}

/// The times of a token of a prompt and of an answer, in microseconds, which give the times of both calls. A time that
/// comes out below zero is none, and then the other one is all of a call's. `None` where the answers are too short.
fn solve(long_prompt: &MeasuredCall, long_answer: &MeasuredCall) -> Option<(u64, u64)> {
    let numbers = |call: &MeasuredCall| {
        let TokenUsage {
            prompt_tokens,
            completion_tokens,
        } = call.usage;
        // An attempt has a time limit, and the usage was checked against the texts: no product is near the bounds.
        let micros = u64::try_from(call.time.as_micros()).unwrap_or(u64::MAX);
        [prompt_tokens, completion_tokens, micros].map(i128::from)
    };
    let ([p1, g1, t1], [p2, g2, t2]) = (numbers(long_prompt), numbers(long_answer));
    let determinant = p1 * g2 - p2 * g1;
    if determinant <= 0 {
        return None;
    }
    let prompt = (t1 * g2 - t2 * g1) / determinant;
    let answer = (p1 * t2 - p2 * t1) / determinant;
    let (prompt, answer) = match (prompt, answer) {
        (_, ..0) => (t1 / p1, 0),
        (..0, _) => (0, t2 / g2),
        both => both,
    };
    Some((prompt.try_into().ok()?, answer.try_into().ok()?))
}

impl ServerSpeed {
    /// Whether every condition can be answered in time.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.conditions.iter().all(|it| self.is_in_time(it))
    }

    /// Whether a condition can be answered in time.
    #[must_use]
    pub fn is_in_time(&self, condition: &ConditionSpeed) -> bool {
        condition.expected_ms <= self.time_limit_ms
    }

    /// The speed in words, or which conditions cannot be answered in time and what to do.
    ///
    /// # Errors
    /// These conditions, with the times that they take.
    pub fn check(&self) -> Result<String, String> {
        let limit = self.time_limit_ms / 1000;
        let measured = format!(
            "{} tokens of a prompt and {} of an answer per second, by {} questions",
            per_second(self.prompt_token_us),
            per_second(self.answer_token_us),
            self.questions
        );
        let slow = self.conditions.iter().filter(|it| !self.is_in_time(it));
        let slow: Vec<&ConditionSpeed> = slow.collect();
        let describe = |it: &ConditionSpeed| {
            format!(
                "{} {}.{} s, and answers of at most {} tokens",
                it.condition,
                it.expected_ms / 1000,
                it.expected_ms % 1000 / 100,
                it.longest_answer
            )
        };
        if slow.is_empty() {
            let all: Vec<String> = self.conditions.iter().map(describe).collect();
            return Ok(format!("{measured}; in {limit} s: {}", all.join("; ")));
        }
        let slow: Vec<String> = slow.into_iter().map(describe).collect();
        Err(format!(
            "{measured}; a call may take {limit} s, and these conditions need more: {}; ask a faster server, or leave them out with --conditions",
            slow.join("; ")
        ))
    }
}

/// Formats the tokens per second with one decimal.
fn per_second(token_us: u64) -> String {
    match 10_000_000u64.checked_div(token_us) {
        Some(tenths) => format!("{}.{}", tenths / 10, tenths % 10),
        None => "any number of".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(prompt_tokens: u64, completion_tokens: u64, millis: u64) -> MeasuredCall {
        MeasuredCall {
            usage: TokenUsage {
                prompt_tokens,
                completion_tokens,
            },
            time: Duration::from_millis(millis),
        }
    }

    #[test]
    fn two_calls_tell_the_time_of_a_prompts_token_from_that_of_an_answers() {
        // 2 ms and 50 ms.
        let speed = solve(&call(4000, 8, 8400), &call(40, 128, 6480));
        assert_eq!(speed, Some((2000, 50_000)));
        // Where the short prompt takes as long as the long one, a token of the prompt costs nothing.
        let speed = solve(&call(4000, 8, 100), &call(40, 100, 5000));
        assert_eq!(speed, Some((0, 50_000)));
        // Nor does one of the answer, where the long answer takes no time.
        let speed = solve(&call(4000, 8, 4000), &call(40, 100, 1));
        assert_eq!(speed, Some((1000, 0)));
        // Answers of no token tell nothing.
        assert_eq!(solve(&call(4000, 0, 4000), &call(40, 0, 1)), None);
    }
}
