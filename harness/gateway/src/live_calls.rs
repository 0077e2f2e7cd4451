//! The calls that have ended, as they end: the last of them, and a stream of the next ones. What was asked and answered is
//! not among it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use futures_util::stream::unfold;
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender, channel};

/// How many calls are kept for those who come later.
const KEPT: usize = 200;

/// How many calls a reader may be behind before it misses some.
const BEHIND: usize = 1024;

/// The calls that have ended.
pub(crate) struct LiveCalls(Mutex<State>);

struct State {
    /// The last ones as events, the oldest first.
    last: VecDeque<Arc<str>>,
    /// Where readers get the next ones; `None` once the gateway ends.
    sender: Option<Sender<Arc<str>>>,
}

impl LiveCalls {
    pub(crate) fn new() -> LiveCalls {
        LiveCalls(Mutex::new(State {
            last: VecDeque::new(),
            sender: Some(channel(BEHIND).0),
        }))
    }

    /// Tells a call that has ended.
    pub(crate) fn publish(&self, call: &Value) {
        // JSON on one line is one line of an event.
        let event: Arc<str> = format!("event: call\ndata: {call}\n\n").into();
        let mut state = self.lock();
        if state.last.len() == KEPT {
            state.last.pop_front();
        }
        state.last.push_back(event.clone());
        if let Some(sender) = &state.sender {
            // It fails where nobody reads.
            let _ = sender.send(event);
        }
    }

    /// Ends every stream, so that the gateway can end.
    pub(crate) fn end(&self) {
        self.lock().sender = None;
    }

    /// A stream of server-sent events: the last calls, and then each one that ends.
    pub(crate) fn stream(&self) -> Body {
        let (first, receiver) = {
            let state = self.lock();
            let first: String = state.last.iter().map(|event| &**event).collect();
            (first, state.sender.as_ref().map(Sender::subscribe))
        };
        let first = Bytes::from(format!("event: begin\ndata: {{}}\n\n{first}"));
        let events = unfold((Some(first), receiver), |(first, receiver)| async move {
            if let Some(first) = first {
                return Some((Ok::<Bytes, Infallible>(first), (None, receiver)));
            }
            let mut receiver = receiver?;
            let event = next_event(&mut receiver).await?;
            Some((Ok(event), (None, Some(receiver))))
        });
        Body::from_stream(events)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn next_event(receiver: &mut Receiver<Arc<str>>) -> Option<Bytes> {
    match receiver.recv().await {
        Ok(event) => Some(Bytes::copy_from_slice(event.as_bytes())),
        Err(RecvError::Lagged(count)) => Some(format!("event: missed\ndata: {count}\n\n").into()),
        Err(RecvError::Closed) => None,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;
    use serde_json::json;
    use tokio::runtime::Builder;

    use super::*;

    /// The pieces of a stream whose calls have all been published, and which has ended.
    fn read(stream: Body) -> Vec<String> {
        let runtime = Builder::new_current_thread().build().unwrap();
        let pieces = runtime.block_on(stream.into_data_stream().collect::<Vec<_>>());
        let pieces = pieces.into_iter().map(|piece| piece.unwrap().to_vec());
        pieces
            .map(|piece| String::from_utf8(piece).unwrap())
            .collect()
    }

    #[test]
    fn who_comes_later_gets_the_last_calls() {
        let calls = LiveCalls::new();
        for number in 0..KEPT + 3 {
            calls.publish(&json!(number));
        }
        let stream = calls.stream();
        calls.publish(&json!("next"));
        calls.end();
        let pieces = read(stream);
        let first = &pieces[0];
        assert!(first.starts_with("event: begin\ndata: {}\n\nevent: call\ndata: 3\n\n"));
        assert_eq!(first.matches("event: call").count(), KEPT);
        assert_eq!(pieces[1..], ["event: call\ndata: \"next\"\n\n"]);
        // One who comes when the gateway ends gets what there was, and the end.
        assert_eq!(read(calls.stream()).len(), 1);
    }

    #[test]
    fn who_reads_too_slowly_is_told_how_many_calls_were_missed() {
        let calls = LiveCalls::new();
        let stream = calls.stream();
        for number in 0..BEHIND + 5 {
            calls.publish(&json!(number));
        }
        calls.end();
        let pieces = read(stream);
        assert_eq!(pieces[1], "event: missed\ndata: 5\n\n");
        assert_eq!(pieces[2], "event: call\ndata: 5\n\n");
        assert_eq!(pieces.len(), 2 + BEHIND);
    }
}
