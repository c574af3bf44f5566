//! The text of an answer, and the chunks it is sent in.

use serde_json::{Value, json};

use crate::instance::instance;
use crate::play::Choice;
use crate::script::{Asked, CHUNK_CHARS};

/// What is sent back for `{"$invalid": true}`: JSON that no stage's schema allows, so that it is rejected and not repaired.
const INVALID: &str = "{\"unexpected\": [\"this fits no schema\"]}";

/// A finished answer, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) reasoning: Option<String>,
    pub(crate) refusal: Option<String>,
    pub(crate) tool_calls: Vec<Value>,
    pub(crate) finish_reason: String,
    pub(crate) usage: Value,
    pub(crate) model: String,
    pub(crate) id: String,
}

/// The answer that was chosen for a request.
pub(crate) fn answer(asked: &Asked, choice: &Choice) -> Answer {
    let rule = &choice.rule;
    let calls: Vec<Value> = rule
        .tool_calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            let arguments = match call.arguments.as_str() {
                Some(text) => text.to_owned(),
                None => call.arguments.to_string(),
            };
            let id = format!("call_{}_{index}", short(&asked.hash));
            json!({"index": index, "id": id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
        })
        .collect();
    let text = match &choice.answer {
        Some(answer) => scripted(answer, asked),
        None if !calls.is_empty() => String::new(),
        None => unscripted(asked),
    };
    let finish_reason = match &rule.finish_reason {
        Some(reason) => reason.clone(),
        None if calls.is_empty() => "stop".to_owned(),
        None => "tool_calls".to_owned(),
    };
    let usage = rule.usage.clone().unwrap_or_else(|| counted(asked, &text));
    Answer {
        text,
        reasoning: rule.reasoning.clone(),
        refusal: None,
        tool_calls: calls,
        finish_reason,
        usage,
        model: asked.model.clone(),
        id: format!("chatcmpl-{}", short(&asked.hash)),
    }
}

fn scripted(answer: &Value, asked: &Asked) -> String {
    if let Value::String(text) = answer {
        return if text == "echo-input" {
            without_fences(&asked.last_user)
        } else {
            text.clone()
        };
    }
    if answer["$invalid"] == true {
        return INVALID.to_owned();
    }
    if answer["$instance"] == true {
        let mut value = asked.schema.as_ref().map_or(Value::Null, instance);
        for (pointer, change) in answer["$set"].as_object().into_iter().flatten() {
            if let Some(place) = value.pointer_mut(pointer) {
                *place = change.clone();
            }
        }
        return value.to_string();
    }
    answer.to_string()
}

fn unscripted(asked: &Asked) -> String {
    match &asked.schema {
        Some(schema) => instance(schema).to_string(),
        None => without_fences(&asked.last_user),
    }
}

/// A text without the lines that set material apart: no answer has those.
fn without_fences(said: &str) -> String {
    let lines = said.lines();
    let own = lines.filter(|line| !line.starts_with("<<<DATA") && !line.starts_with("DATA>>>"));
    own.collect::<Vec<_>>().join("\n")
}

/// Characters stand for tokens, so that the counts follow from the request alone.
fn counted(asked: &Asked, text: &str) -> Value {
    let input = asked.everything.chars().count();
    let output = text.chars().count();
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

impl Answer {
    /// The whole answer as one document, for a request that asked for no stream.
    pub(crate) fn document(&self) -> Value {
        let mut message = json!({"role": "assistant", "content": self.text});
        if !self.tool_calls.is_empty() {
            message["tool_calls"] = json!(self.tool_calls);
        }
        if let Some(reasoning) = &self.reasoning {
            message["reasoning_content"] = json!(reasoning);
        }
        json!({
            "id": self.id, "object": "chat.completion", "created": 0, "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
            "usage": self.usage
        })
    }

    /// The events of a stream that carry content; the ones that end it are [`Answer::ending`].
    pub(crate) fn content_events(&self, chunk_chars: Option<usize>) -> Vec<String> {
        let width = chunk_chars.unwrap_or(CHUNK_CHARS).max(1);
        let mut events = Vec::new();
        for piece in pieces(self.reasoning.as_deref().unwrap_or_default(), width) {
            events.push(self.event(json!({"reasoning_content": piece}), None));
        }
        for piece in pieces(self.refusal.as_deref().unwrap_or_default(), width) {
            events.push(self.event(json!({"refusal": piece}), None));
        }
        for piece in pieces(&self.text, width) {
            events.push(self.event(json!({"content": piece}), None));
        }
        for call in &self.tool_calls {
            events.extend(self.call_events(call, width));
        }
        events
    }

    /// A call comes as providers send it: its name first, then its arguments in pieces.
    fn call_events(&self, call: &Value, width: usize) -> Vec<String> {
        let mut first = call.clone();
        first["function"]["arguments"] = json!("");
        let mut events = vec![self.event(json!({"tool_calls": [first]}), None)];
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        for piece in pieces(arguments, width) {
            let part = json!({"index": call["index"], "function": {"arguments": piece}});
            events.push(self.event(json!({"tool_calls": [part]}), None));
        }
        events
    }

    /// The events that end a stream: the reason, the token counts and the end itself.
    pub(crate) fn ending(&self) -> String {
        let usage = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": 0, "model": self.model, "choices": [],
            "usage": self.usage
        });
        let last = self.event(json!({}), Some(&self.finish_reason));
        format!("{last}data: {usage}\n\ndata: [DONE]\n\n")
    }

    fn event(&self, delta: Value, finish_reason: Option<&str>) -> String {
        let chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": 0, "model": self.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]
        });
        format!("data: {chunk}\n\n")
    }
}

fn pieces(text: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters
        .chunks(width)
        .map(|piece| piece.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Play;

    fn answered(script: Value) -> Answer {
        let body = json!({
            "model": "m", "messages": [{"role": "user", "content": "问题"}],
            "response_format": {"json_schema": {"name": "s", "schema": {
                "type": "object", "properties": {"a": {"type": "string"}}}}}
        });
        let asked = Asked::of(&body, "0123456789abcdef".to_owned());
        let choice = Play::of(serde_json::from_value(script).unwrap()).choose(&asked, None);
        answer(&asked, &choice)
    }

    #[test]
    fn answers_are_scripted_or_built_from_the_schema() {
        let text = |script: Value| answered(script).text;
        let rule = |answer: Value| json!({"rules": [{"answer": answer}]});
        assert_eq!(text(json!({})), "{\"a\":\"a\"}");
        assert_eq!(text(json!({"by_schema": {"s": {"b": 1}}})), "{\"b\":1}");
        assert_eq!(text(rule(json!("echo-input"))), "问题");
        assert_eq!(
            text(rule(json!({"$instance": true, "$set": {"/a": "x"}}))),
            "{\"a\":\"x\"}"
        );
        assert_eq!(
            text(rule(json!({"$sequence": [{"$invalid": true}, {"a": "b"}]}))),
            INVALID
        );
    }

    #[test]
    fn a_stream_carries_the_text_in_pieces_and_ends_with_its_counts() {
        let answer = answered(json!({"rules": [{"answer": "一二三四五", "reasoning": "hm"}]}));
        let contents: Vec<Value> = answer
            .content_events(Some(2))
            .iter()
            .map(|event| {
                serde_json::from_str::<Value>(&event[6..]).unwrap()["choices"][0]["delta"].clone()
            })
            .collect();
        assert_eq!(
            contents,
            [
                json!({"reasoning_content": "hm"}),
                json!({"content": "一二"}),
                json!({"content": "三四"}),
                json!({"content": "五"})
            ]
        );
        let ending = answer.ending();
        assert!(
            ending.contains("\"finish_reason\":\"stop\"")
                && ending.contains("\"completion_tokens\":5")
        );
        assert!(ending.ends_with("data: [DONE]\n\n"));
    }

    #[test]
    fn a_tool_call_has_its_name_first_and_its_arguments_in_pieces() {
        let answer =
            answered(json!({"rules": [{"tool_calls": [{"name": "f", "arguments": {"q": "x"}}]}]}));
        assert_eq!(
            (answer.text.as_str(), answer.finish_reason.as_str()),
            ("", "tool_calls")
        );
        let events = answer.content_events(Some(4));
        assert_eq!(events.len(), 4);
        assert!(events[0].contains("\"name\":\"f\"") && events[0].contains("\"arguments\":\"\""));
    }
}
