//! Anthropic's and ollama's APIs, over real sockets.

mod common;

use common::run;
use serde_json::{Value, json};

fn message(more: Value) -> Value {
    let mut body = json!({
        "model": "tiny", "max_tokens": 10, "temperature": 0,
        "messages": [{ "role": "user", "content": "Hello" }],
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[test]
fn messages_are_answered_whole_and_as_events() {
    let server = run();
    let whole = server.post("/v1/messages", message(json!({ "system": "Be brief." }))).good();
    assert_eq!((&whole["type"], &whole["role"]), (&json!("message"), &json!("assistant")));
    let text = whole["content"][0]["text"].as_str().unwrap();
    let body =
        message(json!({ "system": [{ "type": "text", "text": "Be brief." }], "stream": true }));
    let events = server.post("/v1/messages", body).events();
    let kinds: Vec<&str> = events.iter().map(|e| e["type"].as_str().unwrap()).collect();
    assert_eq!(kinds[..2], ["message_start", "content_block_start"]);
    assert_eq!(kinds[kinds.len() - 3..], ["content_block_stop", "message_delta", "message_stop"]);
    let deltas = events.iter().filter_map(|e| e["delta"]["text"].as_str()).collect::<String>();
    assert_eq!(deltas, text);
    let counted = server.post("/v1/messages/count_tokens", message(json!({}))).good();
    assert!(counted["input_tokens"].as_u64().unwrap() > 5);
}

#[test]
fn an_answer_can_be_begun_and_tools_used() {
    let server = run();
    let begun = json!({ "messages": [
        { "role": "user", "content": "Hello" }, { "role": "assistant", "content": "Well" },
    ] });
    assert_eq!(server.post("/v1/messages", message(begun)).status, 200);
    let schema = json!({
        "type": "object", "properties": { "on": { "type": "boolean" } }, "required": ["on"],
        "additionalProperties": false,
    });
    let tools = json!({
        "tools": [{ "name": "light", "description": "A light", "input_schema": schema }],
        "tool_choice": { "type": "tool", "name": "light" }, "max_tokens": 400,
    });
    let reply = server.post("/v1/messages", message(tools)).good();
    assert_eq!(reply["stop_reason"], "tool_use", "{reply}");
    assert_eq!(reply["content"][0]["name"], "light");
    assert!(reply["content"][0]["input"]["on"].is_boolean());
    let result = json!({ "messages": [
        { "role": "user", "content": "Hello" },
        { "role": "assistant", "content": [
            { "type": "tool_use", "id": "t1", "name": "light", "input": { "on": true } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": "ok" }] },
        ] },
    ] });
    assert_eq!(server.post("/v1/messages", message(result)).status, 200);
}

#[test]
fn errors_of_messages_have_their_form() {
    let server = run();
    let error = |body: Value| {
        let reply = server.post("/v1/messages", body);
        let json = reply.json();
        assert_eq!(json["type"], "error");
        let inner = &json["error"];
        (
            reply.status,
            inner["type"].as_str().unwrap().to_owned(),
            inner["message"].as_str().unwrap().to_owned(),
        )
    };
    let (status, kind, said) = error(json!({ "messages": [] }));
    assert_eq!(
        (status, kind.as_str(), said.as_str()),
        (400, "invalid_request_error", "max_tokens: missing")
    );
    let (status, kind, _) = error(message(json!({ "model": "none" })));
    assert_eq!((status, kind.as_str()), (404, "not_found_error"));
    let image = json!({ "messages": [{ "role": "user", "content": [{ "type": "image" }] }] });
    assert!(error(message(image)).2.starts_with("messages[0].content[0].type: "));
    let choice = json!({ "tool_choice": { "type": "some" } });
    assert!(error(message(choice)).2.starts_with("tool_choice.type: "));
}

#[test]
fn ollama_chats_and_generates() {
    let server = run();
    let body = |stream: bool| {
        json!({
            "model": "tiny:latest", "messages": [{ "role": "user", "content": "Hello" }], "stream": stream,
            "options": { "num_predict": 10, "temperature": 0 },
        })
    };
    let whole = server.post("/api/chat", body(false)).good();
    assert_eq!((&whole["model"], &whole["done"]), (&json!("tiny"), &json!(true)));
    let reply = server.post("/api/chat", body(true));
    assert_eq!(reply.headers["content-type"], "application/x-ndjson");
    let lines = reply.lines();
    let pieces = lines.iter().filter_map(|l| l["message"]["content"].as_str()).collect::<String>();
    assert_eq!(pieces, whole["message"]["content"].as_str().unwrap());
    let last = lines.last().unwrap();
    assert_eq!(last["done"], true);
    assert!(last["eval_count"].as_u64().unwrap() > 0 && last["total_duration"].is_u64());
    let body = json!({
        "model": "tiny", "prompt": "ab", "raw": true, "stream": false,
        "options": { "num_predict": 4, "temperature": 0 },
    });
    assert!(server.post("/api/generate", body).good()["response"].is_string());
    let body = json!({
        "model": "tiny", "prompt": "Hi", "stream": false, "options": { "num_predict": 1500 },
        "format": { "type": "object", "properties": { "a": { "enum": [1, 2] } }, "required": ["a"],
            "additionalProperties": false },
    });
    let reply = server.post("/api/generate", body).good();
    let value: Value = serde_json::from_str(reply["response"].as_str().unwrap()).unwrap();
    assert!([1, 2].contains(&value["a"].as_i64().unwrap()));
}

#[test]
fn ollama_knows_its_models() {
    let server = run();
    assert_eq!(server.get("/api/tags").good()["models"][0]["name"], "tiny");
    assert_eq!(server.get("/api/ps").good()["models"], json!([]));
    let loaded = server.post("/api/generate", json!({ "model": "tiny" })).good();
    assert_eq!((&loaded["done_reason"], &loaded["done"]), (&json!("load"), &json!(true)));
    assert_eq!(server.get("/api/ps").good()["models"][0]["name"], "tiny");
    let shown = server.post("/api/show", json!({ "model": "tiny" })).good();
    assert_eq!(shown["capabilities"][0], "completion");
    server.post("/api/chat", json!({ "model": "tiny", "keep_alive": 0 })).good();
    assert_eq!(server.get("/api/ps").good()["models"], json!([]));
    assert!(server.get("/api/version").good()["version"].is_string());
    let reply = server.post("/api/embed", json!({ "model": "tiny", "input": ["a", "b"] })).good();
    assert_eq!(reply["embeddings"].as_array().unwrap().len(), 2);
    let refused =
        server.post("/api/chat", json!({ "model": "none", "messages": [{ "role": "user" }] }));
    assert_eq!(refused.status, 404);
    assert!(refused.json()["error"].as_str().unwrap().contains("\"none\""));
}
