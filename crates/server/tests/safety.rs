//! What clients may not do, and what it costs the others: nothing.

mod common;

use bessemer_server::{Allowance, Keys, Tls, hashed_key};
use common::{read, run, run_with, send};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

const CHAT: &str = "/v1/chat/completions";

fn hello(more: Value) -> Value {
    let mut body = json!({ "messages": [{ "role": "user", "content": "Hello" }], "max_tokens": 2 });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: not after a minute");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_wrong_is_said_with_its_field() {
    let server = run();
    let wrong = [
        (CHAT, json!({}), "messages", "messages: missing"),
        (CHAT, json!({ "messages": [] }), "messages", "messages: there are none"),
        (CHAT, json!({ "messages": "x" }), "messages", "messages: invalid type: string"),
        (
            CHAT,
            json!({ "messages": [{ "content": "x" }] }),
            "messages[0].role",
            "messages[0].role: missing",
        ),
        (
            CHAT,
            hello(json!({ "messages": [{ "role": "king", "content": "x" }] })),
            "messages[0].role",
            "\"king\"",
        ),
        (
            CHAT,
            hello(json!({ "temperature": -1 })),
            "temperature",
            "temperature: -1 is not a number from",
        ),
        (CHAT, hello(json!({ "temperature": "hot" })), "temperature", "temperature: invalid type"),
        (CHAT, hello(json!({ "top_p": 2 })), "top_p", "top_p: 2"),
        (CHAT, hello(json!({ "n": 0 })), "n", "n: 0 is not a whole number from 1 to"),
        (CHAT, hello(json!({ "n": 100_000 })), "n", "n: 100000"),
        (CHAT, hello(json!({ "max_tokens": 0 })), "max_tokens", "max_tokens: 0"),
        (CHAT, hello(json!({ "stop": [""] })), "stop[0]", "stop[0]: an empty text"),
        (CHAT, hello(json!({ "logit_bias": { "999999": 1 } })), "logit_bias", "999999=1 is not"),
        (
            CHAT,
            hello(json!({ "top_logprobs": 50, "logprobs": true })),
            "top_logprobs",
            "top_logprobs: 50",
        ),
        (CHAT, hello(json!({ "tool_choice": "required" })), "tool_choice", "there are none"),
        (
            CHAT,
            hello(json!({ "response_format": { "type": "xml" } })),
            "response_format.type",
            "\"xml\"",
        ),
        (
            "/v1/completions",
            json!({ "prompt": [999_999] }),
            "prompt",
            "token 999999 is out of range",
        ),
        (
            "/v1/completions",
            json!({ "prompt": [1, "x"] }),
            "prompt[1]",
            "not the number of a token",
        ),
        ("/v1/completions", json!({ "prompt": "x", "suffix": "y" }), "suffix", "not supported"),
        ("/v1/embeddings", json!({ "input": 7 }), "input", "input: a number"),
        (
            "/v1/responses",
            json!({ "input": "x", "previous_response_id": "y" }),
            "previous_response_id",
            "no response",
        ),
        ("/tokenize", json!({}), "content", "content: missing"),
        ("/detokenize", json!({ "tokens": [-1] }), "tokens[0]", "tokens[0]: invalid value"),
    ];
    for (path, body, field, said) in wrong {
        let reply = server.post(path, body.clone());
        let error = &reply.json()["error"];
        let message = error["message"].as_str().unwrap();
        assert!((400..500).contains(&reply.status), "{path} {body}: {}", reply.status);
        assert!(message.contains(said), "{body}: {message}");
        assert_eq!(error["param"], field, "{body}: {message}");
    }
    let refused = server.post(CHAT, hello(json!({ "model": "none" })));
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (404, &json!("model_not_found"))
    );
    let long = "x".repeat(5000);
    let refused =
        server.post(CHAT, hello(json!({ "messages": [{ "role": "user", "content": long }] })));
    assert_eq!(refused.json()["error"]["code"], "context_length_exceeded");
    assert_eq!(server.post(CHAT, hello(json!({}))).status, 200);
}

#[test]
fn bodies_that_are_none_harm_nobody() {
    let server = run_with(|options, _| options.limits.body_bytes = 1 << 20);
    let ask = |body: &[u8]| {
        server.ask("POST", CHAT, &[("content-type", "application/json")], body).status
    };
    for body in [
        &b""[..],
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{\"messages\": [{\"role\": \"user\", \"content\": \"\xff\"}]}",
    ] {
        assert_eq!(ask(body), 400, "{body:?}");
    }
    assert_eq!(ask("[".repeat(900_000).as_bytes()), 400);
    let nested = format!("{{\"messages\": {}1{}}}", "{\"a\":".repeat(90_000), "}".repeat(90_000));
    assert_eq!(ask(nested.as_bytes()), 400);
    assert_eq!(ask(&vec![b'x'; 2 << 20]), 413);
    let refused = server.ask("POST", CHAT, &[("content-type", "text/plain")], b"{}");
    assert_eq!(refused.status, 415);
    assert_eq!(server.get("/nothing").status, 404);
    let refused = server.get(CHAT);
    assert_eq!((refused.status, refused.headers["allow"].as_str()), (405, "POST"));
    let broken = server.post(CHAT, hello(json!({ "model": "broken" })));
    assert_eq!(broken.status, 500);
    assert!(!broken.text().contains("secret"), "{}", broken.text());
    assert_eq!(server.post(CHAT, hello(json!({}))).status, 200);
}

#[test]
fn schemas_that_explode_are_refused_in_time() {
    let server = run();
    let format = |schema: Value| {
        hello(
            json!({ "response_format": { "type": "json_schema", "json_schema": { "schema": schema } } }),
        )
    };
    let mut deep = json!({ "type": "string" });
    for _ in 0..60 {
        deep = json!({ "anyOf": [deep, { "type": "array", "items": deep.clone() }] });
        if deep.to_string().len() > 400_000 {
            break;
        }
    }
    let huge = json!({ "type": "string", "pattern": "(a{1,1000}){1,1000}" });
    let many: serde_json::Map<String, Value> =
        (0..20_000).map(|at| (format!("p{at}"), json!({ "type": "string" }))).collect();
    let wide = json!({ "type": "object", "properties": many });
    let elsewhere = json!({ "$ref": "http://localhost:1/schema.json" });
    // This one is large only when it is written out, which it never is.
    assert!([200, 400].contains(&server.post(CHAT, format(huge)).status));
    for schema in [deep, wide, elsewhere, json!({ "type": 7 })] {
        let reply = server.post(CHAT, format(schema));
        assert_eq!(reply.status, 400, "{}", reply.text());
        assert_eq!(reply.json()["error"]["param"], "response_format");
    }
    let regex = hello(json!({ "response_format": { "type": "regex", "regex": "(" } }));
    assert_eq!(server.post(CHAT, regex).status, 400);
    let grammar = hello(json!({ "response_format": { "type": "grammar", "grammar": "start: x" } }));
    assert_eq!(server.post(CHAT, grammar).status, 400);
    assert_eq!(server.post(CHAT, hello(json!({}))).status, 200);
}

#[test]
fn keys_are_needed_in_the_form_of_each_api() {
    let lines = format!("one name=a requests=3\n{} name=b tokens=20\n", hashed_key("two"));
    let keys = Keys::parse(&lines, Allowance::default()).unwrap();
    let server = run_with(move |options, _| options.keys = keys);
    let body = hello(json!({})).to_string();
    let ask = |header: (&str, &str)| server.ask("POST", CHAT, &[header], body.as_bytes());
    let refused = ask(("x", "y"));
    assert_eq!((refused.status, refused.headers["www-authenticate"].as_str()), (401, "Bearer"));
    assert_eq!(refused.json()["error"]["code"], "invalid_api_key");
    assert_eq!(ask(("authorization", "Bearer three")).status, 401);
    let refused = server.ask("POST", "/v1/messages", &[("x-api-key", "three")], b"{}");
    assert_eq!(refused.json()["error"]["type"], "authentication_error");
    assert!(server.post("/api/chat", json!({})).json()["error"].is_string());
    assert_eq!(server.get("/metrics").status, 401);
    for open in ["/health", "/ready", "/", "/page/main.js"] {
        assert_eq!(server.get(open).status, 200, "{open}");
    }
    // Any host may be named where there are keys.
    for _ in 0..3 {
        assert_eq!(ask(("authorization", "Bearer one")).status, 200);
    }
    let refused = ask(("authorization", "Bearer one"));
    assert_eq!(refused.status, 429);
    assert!(refused.headers["retry-after"].parse::<u32>().unwrap() >= 1);
    assert_eq!(ask(("x-api-key", "two")).status, 200);
    let refused = ask(("x-api-key", "two"));
    assert_eq!(
        (refused.status, refused.json()["error"]["type"].as_str()),
        (429, Some("rate_limit_error"))
    );
}

#[test]
fn pages_of_other_sites_are_kept_out() {
    let server = run();
    let body = hello(json!({})).to_string();
    let ask = |headers: &[(&str, &str)]| server.ask("POST", CHAT, headers, body.as_bytes());
    assert_eq!(ask(&[("host", "evil.example")]).status, 403);
    assert_eq!(ask(&[("origin", "http://evil.example")]).status, 403);
    assert_eq!(ask(&[("host", "localhost:1"), ("origin", "http://localhost:1")]).status, 200);
    let preflight = [("origin", "http://a.example"), ("access-control-request-method", "POST")];
    let refused = server.ask("OPTIONS", CHAT, &preflight, b"");
    assert!(!refused.headers.contains_key("access-control-allow-origin"));
    let server = run_with(|options, _| options.cors = vec!["http://a.example".into()]);
    let allowed = server.ask("OPTIONS", CHAT, &preflight, b"");
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.headers["access-control-allow-origin"], "http://a.example");
    let answered = server.ask("POST", CHAT, &preflight[..1], body.as_bytes());
    assert_eq!(answered.headers["access-control-allow-origin"], "http://a.example");
}

#[test]
fn slow_clients_lose_their_connection() {
    let server = run();
    let mut silent: Vec<_> = (0..200).map(|_| server.connect()).collect();
    let mut half = server.connect();
    half.write_all(
        b"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\n{",
    )
    .unwrap();
    assert_eq!(server.post(CHAT, hello(json!({}))).status, 200);
    assert_eq!(read(half).status, 408);
    for stream in &mut silent {
        let mut rest = Vec::new();
        // Closed by the server, with or without a word.
        let _ = stream.read_to_end(&mut rest);
    }
    let many: String = (0..500).map(|at| format!("x-{at}: y\r\n")).collect();
    let mut stream = server.connect();
    let _ = stream
        .write_all(format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{many}\r\n").as_bytes());
    assert_eq!(read(stream).status, 431);
}

#[test]
fn who_goes_away_frees_the_place() {
    let server = run();
    let body = hello(json!({ "max_tokens": 3900, "ignore_eos": true, "stream": true })).to_string();
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = server.connect();
        send(&mut stream, "POST", CHAT, &[], body.as_bytes());
        let mut first = [0; 512];
        assert!(stream.read(&mut first).unwrap() > 0);
        streams.push(stream);
    }
    until("running", || server.metric("bessemer_requests_running") == 3.0);
    drop(streams);
    until("freed", || server.metric("bessemer_requests_running") == 0.0);
    // One that waits for the whole answer too.
    let body = hello(json!({ "max_tokens": 3900, "ignore_eos": true })).to_string();
    let mut stream = server.connect();
    send(&mut stream, "POST", CHAT, &[], body.as_bytes());
    until("running", || server.metric("bessemer_requests_running") == 1.0);
    drop(stream);
    until("freed", || server.metric("bessemer_requests_running") == 0.0);
}

#[test]
fn a_full_queue_is_said_with_the_time_to_wait() {
    let server = run_with(|_, models| {
        models.engine.most_running = 1;
        models.engine.most_waiting = 1;
    });
    let body = hello(json!({ "max_tokens": 3900, "ignore_eos": true, "stream": true })).to_string();
    let mut streams = Vec::new();
    for place in ["running", "waiting"] {
        let mut stream = server.connect();
        send(&mut stream, "POST", CHAT, &[], body.as_bytes());
        streams.push(stream);
        until(place, || server.metric(&format!("bessemer_requests_{place}")) == 1.0);
    }
    let refused = server.post(CHAT, hello(json!({})));
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert!(refused.headers["retry-after"].parse::<u32>().unwrap() >= 1);
    assert_eq!(refused.json()["error"]["code"], "queue_full");
}

#[test]
fn an_end_lets_requests_finish() {
    let mut server = run();
    let body = hello(json!({ "max_tokens": 400, "ignore_eos": true, "stream": true })).to_string();
    let mut stream = server.connect();
    send(&mut stream, "POST", CHAT, &[], body.as_bytes());
    let mut idle = server.connect();
    let mut first = [0; 1];
    assert_eq!(stream.read(&mut first).unwrap(), 1);
    server.stop();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("data: [DONE]"), "{rest}");
    server.ended();
    assert!(std::net::TcpStream::connect(server.address).is_err());
    assert_eq!(idle.read(&mut first).unwrap_or(0), 0);
}

#[test]
fn models_make_room_for_each_other() {
    let server = run_with(|_, models| models.memory = 1 << 20);
    let ask = |model: &str| {
        server.post(CHAT, hello(json!({ "model": model, "temperature": 0, "max_tokens": 8 })))
    };
    let first = ask("tiny").good();
    assert_ne!(first["choices"], ask("other").good()["choices"]);
    assert_eq!(server.metric("bessemer_models_loaded"), 1.0);
    assert_eq!(first["choices"], ask("tiny").good()["choices"]);
    assert_eq!(*server.shelf.opened.lock().unwrap(), ["tiny", "other", "tiny"]);
    // One in use is not dropped.
    let body = hello(json!({ "max_tokens": 300, "ignore_eos": true, "stream": true })).to_string();
    let mut stream = server.connect();
    send(&mut stream, "POST", CHAT, &[], body.as_bytes());
    let mut byte = [0; 1];
    assert_eq!(stream.read(&mut byte).unwrap(), 1);
    assert_eq!(ask("other").status, 200);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("data: [DONE]"));
}

#[test]
fn tls_is_spoken_with_a_certificate() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let (certificate, key) = (fixtures.join("certificate.pem"), fixtures.join("key.pem"));
    let tls = Tls { certificate: certificate.clone(), key };
    let server = run_with(move |options, _| options.tls = Some(tls));
    use rustls::pki_types::{CertificateDer, pem::PemObject};
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let connection = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = rustls::StreamOwned::new(connection, server.connect());
    send(&mut stream, "GET", "/health", &[], b"");
    assert_eq!(read(stream).status, 200);
    // Without TLS nothing is answered.
    let mut plain = server.connect();
    send(&mut plain, "GET", "/health", &[], b"");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"));
}

#[test]
fn health_metrics_tokens_states_and_the_page() {
    let server = run();
    assert_eq!(server.get("/health").good()["status"], "ok");
    assert_eq!(server.get("/ready").good()["status"], "ready");
    server.post(CHAT, hello(json!({ "max_tokens": 5, "ignore_eos": true }))).good();
    let text = server.get("/metrics").text();
    for name in [
        "bessemer_time_to_first_token_seconds_bucket",
        "bessemer_time_between_tokens_seconds_count",
        "bessemer_queue_seconds_sum",
        "bessemer_generated_tokens_total{model=\"tiny\"} 5",
        "bessemer_requests_waiting{model=\"tiny\"} 0",
        "bessemer_kv_cache_utilization{model=\"tiny\"}",
        "bessemer_http_requests_total",
    ] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(text.ends_with("# EOF\n"));
    let tokens = server.post("/tokenize", json!({ "content": "Hi" })).good();
    assert_eq!(tokens["tokens"], json!([72, 105]));
    let text = server.post("/detokenize", json!({ "tokens": [72, 105] })).good();
    assert_eq!(text["content"], "Hi");
    let state = server.post("/state", json!({ "prompt": "Hello" })).good();
    let id = state["id"].as_str().unwrap();
    assert_eq!(state["tokens"], 5);
    let bytes = server.get(&format!("/state/{id}"));
    let octets = [("content-type", "application/octet-stream")];
    let again: Value = server.ask("POST", "/state", &octets, &bytes.body).good();
    assert_eq!(again["tokens"], 5);
    assert_eq!(server.ask("POST", "/state", &octets, b"nonsense").status, 400);
    assert_eq!(server.ask("DELETE", &format!("/state/{id}"), &[], b"").status, 200);
    assert_eq!(server.get(&format!("/state/{id}")).status, 404);
    let page = server.get("/");
    assert!(page.text().contains("<title>bessemer</title>"));
    assert!(
        page.headers["content-security-policy"]
            .starts_with("default-src 'none'; script-src 'self'")
    );
    assert_eq!(server.get("/page/../Cargo.toml").status, 404);
    let etag = page.headers["etag"].as_str();
    assert_eq!(server.ask("GET", "/", &[("if-none-match", etag)], b"").status, 304);
    let document = server.get("/openapi.json").good();
    assert!(document["paths"]["/v1/chat/completions"]["post"].is_object());
    let reply = server.ask("GET", "/health", &[("x-request-id", "mine-1")], b"");
    assert_eq!(reply.headers["x-request-id"], "mine-1");
    let reply = server.ask("GET", "/health", &[("x-request-id", "a b")], b"");
    assert!(reply.headers["x-request-id"].starts_with("req-"));
}
