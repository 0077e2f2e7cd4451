//! The JSON of OpenAI-compatible chat completion, both ways. Never streaming.

use serde_json::{Map, Value, json};

use super::exchange::{Answer, Usage};
use super::question::{Constraint, Question};

/// One raw unit of Q16.16 is this part of one.
const ONE: f64 = 65536.0;

/// The body of the request.
pub(super) fn request(question: &Question) -> Vec<u8> {
    let messages: Vec<Value> = question
        .messages
        .iter()
        .map(|message| json!({ "role": message.role.as_str(), "content": message.content }))
        .collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), question.model.as_str().into());
    body.insert("messages".to_owned(), messages.into());
    body.insert("stream".to_owned(), false.into());
    let params = &question.params;
    let optional: [(&str, Option<Value>); 4] = [
        ("max_tokens", params.max_tokens.map(Value::from)),
        ("seed", params.seed.map(Value::from)),
        (
            "temperature",
            params.temperature.map(|raw| (f64::from(raw) / ONE).into()),
        ),
        (
            "top_p",
            params.top_p.map(|raw| (f64::from(raw) / ONE).into()),
        ),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    }
    match &question.grammar {
        Some((Constraint::LlamaCpp, text)) => {
            body.insert("grammar".to_owned(), text.as_str().into());
        }
        Some((Constraint::Vllm, text)) => {
            body.insert("structured_outputs".to_owned(), json!({ "grammar": text }));
        }
        None => {}
    }
    Value::Object(body).to_string().into_bytes()
}

/// The answer in the body of a successful response.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub(super) fn answer(body: &[u8]) -> Result<Answer, String> {
    let body: Value = serde_json::from_slice(body).map_err(|error| format!("not JSON: {error}"))?;
    let choice = body
        .pointer("/choices/0")
        .ok_or("there is no choices[0]".to_owned())?;
    let message = choice
        .get("message")
        .filter(|message| message.is_object())
        .ok_or("choices[0] has no message".to_owned())?;
    // A model that refuses may say so in a field of its own, and one that says nothing, null.
    let text = match (message.get("content"), message.get("refusal")) {
        (Some(Value::String(text)), _) => text.clone(),
        (None | Some(Value::Null), Some(Value::String(refusal))) => refusal.clone(),
        (Some(Value::Null), _) => String::new(),
        _ => return Err("the content of choices[0].message is no text".to_owned()),
    };
    let string = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    Ok(Answer {
        text,
        model: string(body.get("model")),
        finish_reason: string(choice.get("finish_reason")),
        usage: body.get("usage").and_then(usage),
    })
}

/// Token counts, where both are there.
pub(super) fn usage(usage: &Value) -> Option<Usage> {
    let count = |name| usage.get(name).and_then(Value::as_u64);
    Some(Usage {
        prompt_tokens: count("prompt_tokens")?,
        completion_tokens: count("completion_tokens")?,
    })
}

/// What the body of an error says about it, if it says anything.
pub(super) fn complaint(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let message = body.pointer("/error/message").or(body.get("error"))?;
    let words = message.as_str()?.split_whitespace();
    let words: Vec<&str> = words.collect();
    Some(words.join(" ").chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::evidence::observation::Params;

    #[test]
    fn requests_say_what_is_recorded_and_no_more() {
        let params = Params {
            max_tokens: Some(2048),
            seed: None,
            temperature: Some(0),
            top_p: Some(45_875),
        };
        let question = Question::new("m", "rules", "task", params);
        let body: Value = serde_json::from_slice(&request(&question)).unwrap();
        let expected: Value = serde_json::from_str(
            r#"{"model":"m","messages":[{"role":"system","content":"rules"},{"role":"user","content":"task"}],
                "stream":false,"max_tokens":2048,"temperature":0.0,"top_p":0.6999969482421875}"#,
        )
        .unwrap();
        assert_eq!(body, expected);
        let bare = request(&Question::new("m", "", "", Params::NULL));
        let bare: Value = serde_json::from_slice(&bare).unwrap();
        assert_eq!(bare.as_object().unwrap().len(), 3);
        let grammar = "root ::= \"a\"";
        for (constraint, place) in [
            (Constraint::LlamaCpp, "/grammar"),
            (Constraint::Vllm, "/structured_outputs/grammar"),
        ] {
            let constrained = Question {
                grammar: Some((constraint, grammar.to_owned())),
                ..Question::new("m", "", "", Params::NULL)
            };
            let body: Value = serde_json::from_slice(&request(&constrained)).unwrap();
            assert_eq!(body.pointer(place), Some(&Value::from(grammar)));
            assert_eq!(body.as_object().unwrap().len(), 4);
        }
    }

    #[test]
    fn answers_are_read_and_others_complained_about() {
        let read = |body: &str| answer(body.as_bytes());
        let whole = read(
            r#"{"model":"m-1","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],
                "usage":{"prompt_tokens":7,"completion_tokens":2}}"#,
        );
        let expected = Answer {
            text: "hi".to_owned(),
            model: Some("m-1".to_owned()),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage {
                prompt_tokens: 7,
                completion_tokens: 2,
            }),
        };
        assert_eq!(whole, Ok(expected));
        for (message, text) in [
            (r#"{"content":null}"#, ""),
            (r#"{"content":null,"refusal":"No."}"#, "No."),
            (r#"{"content":"yes","refusal":null}"#, "yes"),
        ] {
            let answer = read(&format!(
                r#"{{"choices":[{{"message":{message}}}],"usage":{{}}}}"#
            ));
            let answer = answer.unwrap();
            assert_eq!(answer.text, text);
            assert_eq!(answer.usage, None);
        }
        for (body, reason) in [
            ("<html>", "not JSON"),
            ("{}", "no choices[0]"),
            (r#"{"choices":[]}"#, "no choices[0]"),
            (r#"{"choices":[{"text":"x"}]}"#, "no message"),
            (r#"{"choices":[{"message":{"content":[]}}]}"#, "no text"),
            (r#"{"choices":[{"message":{}}]}"#, "no text"),
        ] {
            let error = read(body).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn complaints_are_short_and_on_one_line() {
        let body = format!(r#"{{"error":{{"message":"a\n {}"}}}}"#, "b".repeat(400));
        let text = complaint(body.as_bytes()).unwrap();
        assert!(text.starts_with("a b") && text.chars().count() == 200);
        assert_eq!(complaint(br#"{"error":"busy"}"#).as_deref(), Some("busy"));
        assert_eq!(complaint(b"<html>"), None);
    }
}
