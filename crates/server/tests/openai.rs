//! OpenAI's API, over real sockets.

mod common;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use common::run;
use serde_json::{Value, json};

fn chat(more: Value) -> Value {
    let mut body = json!({
        "messages": [{ "role": "user", "content": "Hello" }],
        "max_tokens": 12,
        "temperature": 0,
        "ignore_eos": true,
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[test]
fn an_answer_is_the_same_whole_and_as_it_comes() {
    let server = run();
    let whole = server.post("/v1/chat/completions", chat(json!({}))).good();
    let choice = &whole["choices"][0];
    let text = choice["message"]["content"].as_str().unwrap();
    assert!(!text.is_empty());
    assert_eq!(whole["object"], "chat.completion");
    assert_eq!(whole["model"], "tiny");
    assert_eq!(choice["finish_reason"], "length");
    assert_eq!(whole["usage"]["completion_tokens"], 12);
    assert!(whole["usage"]["prompt_tokens"].as_u64().unwrap() > 5);
    let stream = json!({ "stream": true, "stream_options": { "include_usage": true } });
    let reply = server.post("/v1/chat/completions", chat(stream));
    assert!(reply.text().ends_with("data: [DONE]\n\n"));
    assert_eq!(reply.headers["content-type"], "text/event-stream; charset=utf-8");
    let events = reply.events();
    assert_eq!(events[0]["choices"][0]["delta"]["role"], "assistant");
    let pieces = events.iter().filter_map(|e| e["choices"][0]["delta"]["content"].as_str());
    assert_eq!(pieces.collect::<String>(), text);
    let last = events.last().unwrap();
    assert_eq!(last["usage"]["completion_tokens"], 12);
    assert_eq!(last["choices"], json!([]));
    assert_eq!(events[events.len() - 2]["choices"][0]["finish_reason"], "length");
}

#[test]
fn seeds_choices_stops_and_probabilities() {
    let server = run();
    let settings =
        json!({ "temperature": 1.5, "seed": 7, "n": 3, "logprobs": true, "top_logprobs": 2 });
    let texts = |reply: Value| -> Vec<String> {
        let choices = reply["choices"].as_array().unwrap();
        choices.iter().map(|c| c["message"]["content"].as_str().unwrap().to_owned()).collect()
    };
    let first = server.post("/v1/chat/completions", chat(settings.clone())).good();
    let words = &first["choices"][0]["logprobs"]["content"];
    assert_eq!(words.as_array().unwrap().len(), 12);
    assert_eq!(words[0]["top_logprobs"].as_array().unwrap().len(), 2);
    assert!(words[0]["logprob"].as_f64().unwrap() <= 0.0);
    let first = texts(first);
    assert_eq!(first.len(), 3);
    assert_ne!(first[0], first[1]);
    assert_eq!(texts(server.post("/v1/chat/completions", chat(settings)).good()), first);
    // The second choice has the next seed.
    let second =
        server.post("/v1/chat/completions", chat(json!({ "temperature": 1.5, "seed": 8 })));
    assert_eq!(texts(second.good())[0], first[1]);
    let mut stops = first[0].chars().skip(3);
    let stop: String = stops.by_ref().take(2).collect();
    let settings = json!({ "temperature": 1.5, "seed": 7, "stop": [stop] });
    let stopped = server.post("/v1/chat/completions", chat(settings)).good();
    assert_eq!(stopped["choices"][0]["finish_reason"], "stop");
    let text = stopped["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(first[0].starts_with(text) && !text.contains(&stop), "{text:?} of {:?}", first[0]);
}

#[test]
fn completions_take_texts_and_tokens() {
    let server = run();
    let body = json!({ "prompt": ["ab", "cd"], "max_tokens": 4, "temperature": 0, "n": 2, "logprobs": 1, "ignore_eos": true });
    let reply = server.post("/v1/completions", body).good();
    let choices = reply["choices"].as_array().unwrap();
    assert_eq!(choices.len(), 4);
    assert_eq!(choices[0]["text"], choices[1]["text"]);
    assert_eq!(choices[0]["logprobs"]["tokens"].as_array().unwrap().len(), 4);
    let body = json!({ "prompt": [97, 98], "max_tokens": 4, "temperature": 0, "ignore_eos": true });
    assert_eq!(
        server.post("/v1/completions", body).good()["choices"][0]["text"],
        choices[0]["text"]
    );
    let body = json!({ "prompt": "ab", "max_tokens": 4, "temperature": 0, "echo": true, "ignore_eos": true });
    let echoed = server.post("/v1/completions", body).good();
    let text = echoed["choices"][0]["text"].as_str().unwrap();
    assert_eq!(text, format!("ab{}", choices[0]["text"].as_str().unwrap()));
    let body = json!({ "prompt": "ab", "max_tokens": 4, "temperature": 0, "stream": true, "ignore_eos": true });
    let events = server.post("/v1/completions", body).events();
    let pieces = events.iter().filter_map(|e| e["choices"][0]["text"].as_str());
    assert_eq!(pieces.collect::<String>(), choices[0]["text"].as_str().unwrap());
}

#[test]
fn embeddings_have_length_one() {
    let server = run();
    let vector = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let reply = server.post("/v1/embeddings", json!({ "input": ["a cat", "a dog"] })).good();
    let first = vector(&reply["data"][0]["embedding"]);
    assert_eq!(first.len(), 64);
    assert!((first.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-5);
    assert_eq!(reply["usage"]["prompt_tokens"], 10);
    let body = json!({ "input": "a cat", "encoding_format": "base64" });
    let coded = server.post("/v1/embeddings", body).good();
    let bytes = STANDARD.decode(coded["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let decoded: Vec<f64> =
        bytes.chunks(4).map(|x| f64::from(f32::from_le_bytes(x.try_into().unwrap()))).collect();
    assert!(first.iter().zip(&decoded).all(|(a, b)| (a - b).abs() < 1e-6));
    let body = json!({ "input": "a cat", "dimensions": 8 });
    let short = vector(&server.post("/v1/embeddings", body).good()["data"][0]["embedding"]);
    assert_eq!(short.len(), 8);
}

#[test]
fn responses_go_on_from_each_other() {
    let server = run();
    let body =
        json!({ "input": "Hello", "max_output_tokens": 8, "temperature": 0, "ignore_eos": true });
    let first = server.post("/v1/responses", body).good();
    assert_eq!(first["status"], "incomplete");
    let text = first["output"][0]["content"][0]["text"].as_str().unwrap();
    let id = first["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/v1/responses/{id}")).good(), first);
    let second = json!({ "role": "user", "content": "More" });
    let goes_on = json!({
        "input": [second], "previous_response_id": id, "max_output_tokens": 8, "temperature": 0,
        "ignore_eos": true,
    });
    let spelled = json!({
        "input": [
            { "role": "user", "content": "Hello" },
            { "role": "assistant", "content": [{ "type": "output_text", "text": text }] },
            second,
        ],
        "max_output_tokens": 8, "temperature": 0, "stream": true, "ignore_eos": true,
    });
    let whole = server.post("/v1/responses", goes_on).good();
    let events = server.post("/v1/responses", spelled).events();
    let kinds: Vec<&str> = events.iter().map(|e| e["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds[..4],
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
        ]
    );
    assert_eq!(
        kinds[kinds.len() - 4..],
        [
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.incomplete",
        ]
    );
    let deltas = events.iter().filter_map(|e| e["delta"].as_str()).collect::<String>();
    assert_eq!(deltas, whole["output"][0]["content"][0]["text"].as_str().unwrap());
    assert!(events.iter().enumerate().all(|(at, e)| e["sequence_number"] == at));
    assert_eq!(server.ask("DELETE", &format!("/v1/responses/{id}"), &[], b"").status, 200);
    assert_eq!(server.get(&format!("/v1/responses/{id}")).status, 404);
}

#[test]
fn answers_match_their_format() {
    let server = run();
    let schema = json!({
        "type": "object",
        "properties": { "colour": { "enum": ["red", "green"] }, "sure": { "type": "boolean" } },
        "required": ["colour", "sure"],
        "additionalProperties": false,
    });
    let format = json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": schema } });
    for (stream, temperature) in [(false, 0.0), (false, 1.5), (true, 1.0)] {
        let body = json!({
            "messages": [{ "role": "user", "content": "Hi" }], "response_format": format,
            "temperature": temperature, "seed": 3, "max_tokens": 1500, "stream": stream,
        });
        let reply = server.post("/v1/chat/completions", body);
        let text = match stream {
            false => reply.good()["choices"][0]["message"]["content"].as_str().unwrap().to_owned(),
            true => {
                let events = reply.events();
                events.iter().filter_map(|e| e["choices"][0]["delta"]["content"].as_str()).collect()
            }
        };
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert!(["red", "green"].contains(&value["colour"].as_str().unwrap()), "{text}");
        assert!(value["sure"].is_boolean());
    }
    for (format, good) in [
        (json!({ "type": "regex", "regex": "[0-9]{3}-[a-c]{2}" }), 6),
        (json!({ "type": "grammar", "grammar": "start: (\"ab\" | \"cd\") \"!\"" }), 3),
    ] {
        let body = json!({ "prompt": "x", "response_format": format, "max_tokens": 40 });
        let reply = server.post("/v1/completions", body).good();
        let text = reply["choices"][0]["text"].as_str().unwrap();
        assert_eq!(text.len(), good, "{text}");
        assert_eq!(reply["choices"][0]["finish_reason"], "stop");
    }
}

#[test]
fn tools_are_called_when_they_have_to_be() {
    let server = run();
    let parameters = json!({
        "type": "object",
        "properties": { "on": { "type": "boolean" } },
        "required": ["on"],
        "additionalProperties": false,
    });
    let tool =
        json!({ "type": "function", "function": { "name": "light", "parameters": parameters } });
    let body = |choice: Value, stream: bool| {
        json!({
            "messages": [{ "role": "user", "content": "Hi" }], "tools": [tool], "tool_choice": choice,
            "max_tokens": 400, "stream": stream, "temperature": 0, "parallel_tool_calls": false,
        })
    };
    let named = json!({ "type": "function", "function": { "name": "light" } });
    let reply = server.post("/v1/chat/completions", body(named, false)).good();
    let choice = &reply["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls", "{choice}");
    let call = &choice["message"]["tool_calls"][0]["function"];
    assert_eq!(call["name"], "light");
    let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
    assert!(arguments["on"].is_boolean());
    let events = server.post("/v1/chat/completions", body(json!("required"), true)).events();
    let calls: Vec<&Value> =
        events.iter().filter_map(|e| e["choices"][0]["delta"]["tool_calls"].get(0)).collect();
    assert_eq!(calls.len(), 1, "{events:?}");
    assert_eq!(calls[0]["function"]["name"], "light");
    // The result is told to the model.
    let body = json!({
        "messages": [
            { "role": "user", "content": "Hi" },
            { "role": "assistant", "content": null, "tool_calls": [{
                "id": "call_1", "type": "function",
                "function": { "name": "light", "arguments": "{\"on\": true}" },
            }] },
            { "role": "tool", "tool_call_id": "call_1", "content": "done" },
        ],
        "max_tokens": 4,
    });
    assert_eq!(server.post("/v1/chat/completions", body).status, 200);
}

#[test]
fn models_are_listed() {
    let server = run();
    let list = server.get("/v1/models").good();
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["tiny", "other", "broken"]);
    assert_eq!(server.get("/v1/models/other").good()["loaded"], false);
    assert_eq!(server.get("/v1/models/none").status, 404);
}
