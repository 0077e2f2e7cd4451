//! The events of a stream (the format `text/event-stream` of HTML's standard), and what they add up to.
//!
//! What is judged is the message that a client puts together from the events: the pieces, in their order, and not what
//! an event at the end says that they were. Where an interface says both, and they differ, the stream is refused.

use axilog_ledger::jcs::canonicalize;
use serde_json::Value;

use crate::assembly::{AnthropicMessage, OpenAiChoices, OpenAiResponse};
use crate::interface::Interface;

/// Puts together the response that a whole stream of events amounts to, as JSON.
///
/// # Errors
/// What is wrong with the stream, in words: it was cut, an event is no JSON, or reports an error.
pub(crate) fn assemble(interface: Interface, stream: &[u8]) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(stream)
        .map_err(|error| format!("the stream is not UTF-8 at byte {}", error.valid_up_to()))?;
    let mut assembly = Assembly::new(interface)?;
    for (number, data) in (1u64..).zip(read_events(text)) {
        let told = |reason: String| format!("event {number} of the stream {reason}");
        if assembly.is_whole() {
            return Err(told("follows the end of the answer".to_owned()));
        }
        if data == "[DONE]" {
            assembly.note_done().map_err(told)?;
            continue;
        }
        let canonical = canonicalize(data.as_bytes()).map_err(|error| {
            told(format!(
                "is no JSON: {} at byte {}",
                error.reason, error.offset
            ))
        })?;
        let event: Value = serde_json::from_slice(&canonical)
            .map_err(|error| told(format!("is no JSON: {error}")))?;
        if event.get("error").is_some_and(|error| !error.is_null())
            || event.get("type").is_some_and(|kind| kind == "error")
        {
            return Err(told("reports an error of the provider".to_owned()));
        }
        assembly.add(&event).map_err(told)?;
    }
    if !assembly.is_whole() {
        return Err("the stream was cut: it has no end of the answer".to_owned());
    }
    assembly.finish()
}

/// The data of each event that is whole, comments and other fields left out.
fn read_events(text: &str) -> impl Iterator<Item = String> {
    // An event ends with an empty line; what follows the last one was cut.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut events = Vec::new();
    let mut data: Option<String> = None;
    for line in split_lines(text) {
        if line.is_empty() {
            events.extend(data.take());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut data {
                None => data = Some(value.to_owned()),
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
            }
        }
    }
    events.into_iter()
}

/// The lines that have an end, which may be LF, CR or both.
fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        let (line, tail) = rest.split_at(end);
        lines.push(line);
        rest = match tail.strip_prefix("\r\n") {
            Some(tail) => tail,
            None => tail.get(1..).unwrap_or_default(),
        };
    }
    lines
}

/// A response that is put together from events.
enum Assembly {
    Choices(OpenAiChoices),
    Response(OpenAiResponse),
    Message(AnthropicMessage),
}

impl Assembly {
    fn new(interface: Interface) -> Result<Assembly, String> {
        match interface {
            Interface::ChatCompletions | Interface::Completions => {
                Ok(Assembly::Choices(OpenAiChoices::default()))
            }
            Interface::Responses => Ok(Assembly::Response(OpenAiResponse::default())),
            Interface::Messages => Ok(Assembly::Message(AnthropicMessage::default())),
            Interface::Embeddings => Err("embeddings come in no stream".to_owned()),
        }
    }

    fn add(&mut self, event: &Value) -> Result<(), String> {
        match self {
            Assembly::Choices(choices) => choices.add(event),
            Assembly::Response(response) => response.add(event),
            Assembly::Message(message) => message.add(event),
        }
    }

    /// Notes the event that has no JSON and ends a stream of OpenAI's older interfaces.
    fn note_done(&mut self) -> Result<(), String> {
        match self {
            Assembly::Choices(choices) => {
                choices.is_whole = true;
                Ok(())
            }
            _ => Err("is [DONE], which this interface does not have".to_owned()),
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            Assembly::Choices(choices) => choices.is_whole,
            Assembly::Response(response) => response.is_whole(),
            Assembly::Message(message) => message.is_whole,
        }
    }

    fn finish(self) -> Result<Vec<u8>, String> {
        match self {
            Assembly::Choices(choices) => choices.finish(),
            Assembly::Response(response) => response.finish(),
            Assembly::Message(message) => message.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &str = "\
: comment\n\
data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hel\"}},{\"index\":1,\"delta\":{\"content\":\"B\"}}]}\n\n\
data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n\
data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n\
data: [DONE]\n\n";

    const TOOLS: &str = "\
data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"pay\",\"arguments\":\"\"}}]}}]}\r\n\r\n\
data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"x\\\":\"}}]}}]}\r\n\r\n\
data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}},{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"go\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\r\n\r\n\
data: [DONE]\r\n\r\n";

    const MESSAGE: &str = "\
event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[],\"model\":\"x\",\"usage\":{\"input_tokens\":1}}}\n\n\
event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
event: ping\ndata: {\"type\":\"ping\"}\n\n\
event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hel\"}}\n\n\
event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"lo\"}}\n\n\
event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"pay\",\"input\":{}}}\n\n\
event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"n\\\": 18446744073709551615\"}}\n\n\
event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"}\"}}\n\n\
event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n\
event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":2}}\n\n\
event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

    const RESPONSE: &str = "\
event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"output\":[]}}\n\n\
data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"hel\"}\n\n\
data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"lo\"}\n\n\
data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{}\"}\n\n\
data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]},{\"type\":\"function_call\",\"name\":\"go\",\"arguments\":\"{}\"}]}}\n\n";

    #[track_caller]
    fn assembled(interface: Interface, stream: &str) -> String {
        let whole = assemble(interface, stream.as_bytes()).unwrap();
        String::from_utf8(canonicalize(&whole).unwrap()).unwrap()
    }

    #[test]
    fn pieces_add_up_to_the_message() {
        assert_eq!(
            assembled(Interface::ChatCompletions, CHAT),
            r#"{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"hello","role":"assistant"}},{"index":1,"message":{"content":"B"}}],"id":"c","model":"m","usage":{"total_tokens":3}}"#
        );
        assert_eq!(
            assembled(Interface::ChatCompletions, TOOLS),
            r#"{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"x\":1}","name":"pay"},"id":"a","index":0,"type":"function"},{"function":{"arguments":"{}","name":"go"},"id":"b","index":1}]}}]}"#
        );
        assert_eq!(
            assembled(Interface::Messages, MESSAGE),
            r#"{"content":[{"text":"hello","type":"text"},{"id":"t","input":{"n":18446744073709551615},"name":"pay","type":"tool_use"}],"id":"m","model":"x","role":"assistant","stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#
        );
        assert!(assembled(Interface::Responses, RESPONSE).contains(r#""text":"hello""#));
        let text = "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\ndata: {\"choices\":[{\"index\":0,\"text\":\"b\"}]}\n\ndata: [DONE]\n\n";
        assert_eq!(
            assembled(Interface::Completions, text),
            r#"{"choices":[{"index":0,"text":"ab"}]}"#
        );
    }

    #[test]
    fn a_stream_that_is_cut_at_any_byte_is_refused() {
        for (interface, stream) in [
            (Interface::ChatCompletions, CHAT),
            (Interface::ChatCompletions, TOOLS),
            (Interface::Messages, MESSAGE),
            (Interface::Responses, RESPONSE),
        ] {
            // After the first half of the last line's end, CR and LF, the event is whole.
            let whole = stream.trim_end_matches('\n').len();
            for cut in 0..whole {
                let refused = assemble(interface, &stream.as_bytes()[..cut]);
                assert!(refused.is_err(), "{interface:?} at {cut}");
            }
            assert!(assemble(interface, stream.as_bytes()).is_ok());
        }
    }

    #[test]
    fn a_stream_that_says_two_things_is_refused() {
        let other = RESPONSE.replace("\"text\":\"hello\"", "\"text\":\"help!\"");
        let refused = assemble(Interface::Responses, other.as_bytes()).unwrap_err();
        assert!(refused.contains("event 5 of the stream says"), "{refused}");
        // Servers that name items by their ids, as llama.cpp's, are held to the same.
        let named = RESPONSE
            .replace(
                "\"output_index\":0,\"content_index\":0",
                "\"item_id\":\"i\"",
            )
            .replace(
                "{\"type\":\"message\"",
                "{\"id\":\"i\",\"type\":\"message\"",
            );
        assert!(assemble(Interface::Responses, named.as_bytes()).is_ok());
        let other = named.replace("\"text\":\"hello\"", "\"text\":\"help!\"");
        assert!(assemble(Interface::Responses, other.as_bytes()).is_err());
        let other = RESPONSE.replace("\"arguments\":\"{}\"", "\"arguments\":\"{ }\"");
        assert!(assemble(Interface::Responses, other.as_bytes()).is_err());
        for (interface, stream, added) in [
            (
                Interface::ChatCompletions,
                CHAT,
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"!\"}}]}\n\n",
            ),
            (
                Interface::Messages,
                MESSAGE,
                "data: {\"type\":\"ping\"}\n\n",
            ),
            (Interface::Responses, RESPONSE, "data: {}\n\n"),
        ] {
            let refused = assemble(interface, format!("{stream}{added}").as_bytes()).unwrap_err();
            assert!(refused.contains("after the end"), "{refused}");
        }
    }

    #[test]
    fn no_event_says_what_the_judged_response_does_not() {
        // Clients act on items and texts that an event says whole, before the response is.
        let last = "data: {\"type\":\"response.completed\"";
        let item = |name: &str, arguments: &str| {
            format!(
                "data: {{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{{\"type\":\"function_call\",\
                 \"status\":\"completed\",\"name\":\"{name}\",\"arguments\":\"{arguments}\"}}}}\n\n"
            )
        };
        let with = |event: &str| RESPONSE.replace(last, &format!("{event}{last}"));
        assert!(assemble(Interface::Responses, with(&item("go", "{}")).as_bytes()).is_ok());
        let text = |text: &str| {
            format!(
                "data: {{\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":0,\"text\":\"{text}\"}}\n\n"
            )
        };
        assert!(assemble(Interface::Responses, with(&text("hello")).as_bytes()).is_ok());
        for event in [
            item("pay", "{}"),
            item("go", "{ }"),
            item("go", "{}").replace("index\":1", "index\":2"),
            text("help!"),
        ] {
            let refused = assemble(Interface::Responses, with(&event).as_bytes()).unwrap_err();
            assert!(refused.contains("says another thing"), "{event}: {refused}");
        }
    }

    #[test]
    fn what_clients_read_in_two_ways_is_refused() {
        // Python's client joins the pieces of a name, Node's takes the last one.
        let named = TOOLS.replace(
            "\"function\":{\"arguments\":\"{\\\"x\\\":\"}",
            "\"function\":{\"name\":\"pay\",\"arguments\":\"{\\\"x\\\":\"}",
        );
        assert_ne!(named, TOOLS);
        let refused = assemble(Interface::ChatCompletions, named.as_bytes()).unwrap_err();
        assert!(refused.contains("names a tool in two pieces"), "{refused}");
        // Anthropic's keep the content that a message begins with, and count blocks as they come.
        for (from, to, told) in [
            (
                "\"content\":[],",
                "\"content\":[{\"type\":\"text\",\"text\":\"x\"}],",
                "has content",
            ),
            (
                "\"content_block_start\",\"index\":1",
                "\"content_block_start\",\"index\":2",
                "begins block 2 after 1",
            ),
            (
                "\"content_block_start\",\"index\":1",
                "\"content_block_start\",\"index\":0",
                "begins block 0 after 1",
            ),
        ] {
            let other = MESSAGE.replace(from, to);
            let refused = assemble(Interface::Messages, other.as_bytes()).unwrap_err();
            assert!(refused.contains(told), "{told}: {refused}");
        }
    }

    #[test]
    fn an_event_that_cannot_be_read_is_named() {
        for (interface, event, told) in [
            (
                Interface::ChatCompletions,
                "data: {\"error\":{\"message\":\"no\"}}",
                "reports an error",
            ),
            (
                Interface::Messages,
                "event: error\ndata: {\"type\":\"error\"}",
                "reports an error",
            ),
            (
                Interface::ChatCompletions,
                "data: {\"a\":1,\"a\":2}",
                "is no JSON",
            ),
            (Interface::ChatCompletions, "data: x", "is no JSON"),
            (Interface::ChatCompletions, "data: 7", "is no object"),
            (Interface::Messages, "data: [DONE]", "does not have"),
            (
                Interface::ChatCompletions,
                "data: {\"choices\":[{\"index\":-1,\"delta\":{}}]}",
                "no index",
            ),
            (
                Interface::ChatCompletions,
                "data: {\"choices\":[{\"index\":4000000000,\"delta\":{}}]}",
                "no index",
            ),
            (
                Interface::Messages,
                "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
                "was not begun",
            ),
        ] {
            let refused = assemble(interface, format!("{event}\n\n").as_bytes()).unwrap_err();
            assert!(
                refused.starts_with("event 1 of the stream ") && refused.contains(told),
                "{event}: {refused}"
            );
        }
        assert!(
            assemble(Interface::ChatCompletions, b"\xff\n\n")
                .unwrap_err()
                .contains("UTF-8")
        );
    }
}
