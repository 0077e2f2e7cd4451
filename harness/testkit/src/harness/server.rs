//! A server on this machine that performs one act per connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::clock::TestClock;

/// An act of the server on one connection.
#[derive(Clone)]
pub enum Act {
    /// Responds with this status and body.
    Respond(u16, String),
    /// Responds with this status, header line and body.
    RespondWith(u16, &'static str, String),
    /// Lets this time pass on the server's clock, and then performs the act.
    After(Duration, Box<Act>),
    /// Reads the request and never answers.
    Hang,
    /// Sends this status and half of this body, and keeps the connection open.
    HangInside(u16, String),
    /// Reads the request and closes the connection.
    Drop,
    /// Sends half of this body and closes the connection.
    DropInside(String),
    /// Sends a body without end.
    Endless,
    /// Sends this body as server-sent events, and keeps the connection open.
    Stream(String),
    /// Sends this body as server-sent events. It ends with the connection, as many servers have it.
    Events(String),
    /// Sends something that is not HTTP.
    Noise,
}

impl Act {
    /// Responds with a good answer.
    pub fn say(text: &str) -> Act {
        Act::Respond(200, completion(text))
    }
}

/// The body of a good answer.
pub fn completion(text: &str) -> String {
    costly(text, 11, 3)
}

/// The body of a good answer in Anthropic's form.
pub fn message(text: &str) -> String {
    json!({
        "type": "message",
        "role": "assistant",
        "model": "model-1",
        "content": [{ "type": "text", "text": text }],
        "stop_reason": "end_turn",
        "usage": { "input_tokens": 11, "output_tokens": 3 },
    })
    .to_string()
}

/// The body of a good answer with this usage.
pub fn costly(text: &str, prompt_tokens: u64, completion_tokens: u64) -> String {
    let total_tokens = prompt_tokens + completion_tokens;
    json!({
        "id": "c-1",
        "object": "chat.completion",
        "model": "model-1",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "total_tokens": total_tokens },
    })
    .to_string()
}

/// A request that the server received.
pub struct Request {
    pub head: String,
    pub body: Value,
}

pub struct Server {
    pub base_url: String,
    /// The clock of the clients in this process. An attempt whose request hangs is given up on it.
    pub clock: TestClock,
    requests: Receiver<Request>,
}

impl Server {
    /// Starts a server that performs these acts, one per connection, and then stops listening.
    pub fn new(acts: Vec<Act>) -> Server {
        let connections = acts.len();
        let mut acts = acts.into_iter();
        Server::for_connections(Some(connections), None, move |_| acts.next())
    }

    /// Starts a server that performs the act that `next` gives for each request, until it gives `None`.
    pub fn answering(next: impl FnMut(&Request) -> Option<Act> + Send + 'static) -> Server {
        Server::for_connections(None, None, next)
    }

    /// Starts a server as [`Server::answering`] does, which has a tokenizer too, of so many tokens a word.
    pub fn with_tokenizer(
        tokens_per_word: usize,
        next: impl FnMut(&Request) -> Option<Act> + Send + 'static,
    ) -> Server {
        Server::for_connections(None, Some(tokens_per_word), next)
    }

    fn for_connections(
        connections: Option<usize>,
        tokens_per_word: Option<usize>,
        mut next: impl FnMut(&Request) -> Option<Act> + Send + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (sender, requests) = channel();
        let clock = TestClock::new();
        let for_acts = clock.clone();
        thread::spawn(move || {
            let mut open = Vec::new();
            let mut left = connections.unwrap_or(usize::MAX);
            while left > 0 {
                let Ok((stream, _)) = listener.accept() else {
                    return;
                };
                let Some(request) = read(&stream) else {
                    return;
                };
                // A client that looks for a tokenizer uses up no act.
                if request.head.starts_with("POST /tokenize ") {
                    perform(&tokenize(&request, tokens_per_word), stream, &for_acts);
                    continue;
                }
                left -= 1;
                let act = next(&request);
                if sender.send(request).is_err() {
                    return;
                }
                let Some(act) = act else { return };
                // The client may close the connection at any time.
                open.extend(perform(&act, stream, &for_acts));
            }
            // Connections that hang stay open until the client closes them.
            for mut stream in open {
                let _ = stream.read(&mut [0]);
            }
        });
        Server {
            base_url,
            clock,
            requests,
        }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

/// The answer to a request for tokens, where the server has a tokenizer.
fn tokenize(request: &Request, tokens_per_word: Option<usize>) -> Act {
    let Some(tokens) = tokens_per_word else {
        return Act::Respond(404, String::new());
    };
    let words = request.body["content"].as_str().unwrap_or_default();
    let count = words.split_whitespace().count() * tokens;
    Act::Respond(200, json!({ "tokens": vec![7; count] }).to_string())
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        head,
        body: serde_json::from_slice(&body).unwrap(),
    })
}

/// Performs an act, and gives the stream back where the connection must stay open.
fn perform(act: &Act, mut stream: TcpStream, clock: &TestClock) -> Option<TcpStream> {
    let head = |status: u16, more: &str, length: usize| {
        format!(
            "HTTP/1.1 {status} Status\r\nConnection: close\r\nContent-Type: application/json\r\n{more}Content-Length: {length}\r\n\r\n"
        )
    };
    let mut write = |text: &str| {
        let _ = stream.write_all(text.as_bytes());
    };
    match act {
        Act::Respond(status, body) => write(&(head(*status, "", body.len()) + body)),
        Act::RespondWith(status, more, body) => write(&(head(*status, more, body.len()) + body)),
        Act::After(time, act) => {
            clock.advance(*time);
            return perform(act, stream, clock);
        }
        Act::Hang => {
            clock.give_attempt_up();
            return Some(stream);
        }
        Act::HangInside(status, body) => {
            write(&(head(*status, "", body.len()) + &body[..body.len() / 2]));
            clock.give_attempt_up();
            return Some(stream);
        }
        Act::Drop => {}
        Act::DropInside(body) => write(&(head(200, "", body.len()) + &body[..body.len() / 2])),
        Act::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
            while stream.write_all(chunk.as_bytes()).is_ok() {}
        }
        Act::Stream(events) => {
            write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n");
            write(events);
            return Some(stream);
        }
        Act::Events(events) => {
            write(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n",
            );
            write(events);
        }
        Act::Noise => write("* OK IMAP4rev1 ready\r\n"),
    }
    None
}
