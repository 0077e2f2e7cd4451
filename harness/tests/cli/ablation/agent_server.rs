//! A server whose model is an agent that ships.

use axilog::evidence::observation::Params;
use axilog_ablation::agents::ScriptedAgent;
use axilog_oracle::{LocalOracle, Question};
use axilog_testkit::harness::server::{Act, Request, Server};
use serde_json::{Value, json};

/// What the agent answers to a request, and what the server says of it.
pub struct AgentAnswer {
    /// The answer's text.
    pub text: String,
    /// The model that answered.
    pub model: String,
    /// The build that answered.
    pub fingerprint: String,
    /// How many tokens the prompt has; `None` where the server does not say.
    pub prompt_tokens: Option<u64>,
    /// The body of the request.
    pub request: Value,
}

impl AgentAnswer {
    /// The response with this answer.
    pub fn respond(&self) -> Act {
        let mut body = json!({
            "object": "chat.completion",
            "model": self.model,
            "system_fingerprint": self.fingerprint,
            "choices": [{
                "index": 0,
                "message": { "role": "assistant", "content": self.text },
                "finish_reason": "stop",
            }],
        });
        if let Some(prompt_tokens) = self.prompt_tokens {
            body["usage"] = json!({ "prompt_tokens": prompt_tokens, "completion_tokens": 40 });
        }
        Act::Respond(200, body.to_string())
    }
}

/// A server behind which the agent `precedent` acts.
pub struct AgentServer {
    pub base_url: String,
    server: Server,
}

impl AgentServer {
    /// Starts a server that does with each of the agent's answers what `act` says.
    pub fn start(mut act: impl FnMut(AgentAnswer) -> Act + Send + 'static) -> AgentServer {
        let server = Server::answering(move |request| {
            Some(act(AgentAnswer {
                text: ScriptedAgent::Precedent.answer(&read_question(request)),
                model: "gpt-4o-2024-08-06".to_owned(),
                fingerprint: "fp_1".to_owned(),
                prompt_tokens: Some(1337),
                request: request.body.clone(),
            }))
        });
        AgentServer {
            base_url: server.base_url.clone(),
            server,
        }
    }

    /// How many requests came since this was asked last.
    pub fn request_count(&self) -> usize {
        self.server.requests().len()
    }

    /// The bodies of the requests since this was asked last.
    pub fn take_bodies(&self) -> Vec<Value> {
        let requests = self.server.requests();
        requests.into_iter().map(|request| request.body).collect()
    }
}

fn read_question(request: &Request) -> Question {
    let content = |place: usize| request.body["messages"][place]["content"].as_str().unwrap();
    Question::new("m", content(0), content(1), Params::NULL)
}
