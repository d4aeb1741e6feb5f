"""The official Python clients of the three APIs, through every feature: python clients.py http://localhost:PORT

The server has to have the toy model `ember`. Fails at the first thing that is not as it should be.
"""

import json
import sys
from typing import Literal

import anthropic
import ollama
import openai
from pydantic import BaseModel

URL = sys.argv[1]
MODEL = "ember"
MESSAGES = [{"role": "user", "content": "Tell me a story."}]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"enum": ["Tom", "Ann"]}, "old": {"type": "boolean"}},
    "required": ["name", "old"],
    "additionalProperties": False,
}
checks = 0


def check(what, good, *shown):
    global checks
    assert good, (what, *shown)
    checks += 1


class Person(BaseModel):
    name: Literal["Tom", "Ann"]
    old: bool


def with_openai():
    client = openai.OpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0)
    check("models", MODEL in [model.id for model in client.models.list()])
    check("model", client.models.retrieve(MODEL).id == MODEL)
    ask = dict(model=MODEL, prompt="Once upon a time", max_tokens=24, temperature=0)
    whole = client.completions.create(**ask)
    check("completion", len(whole.choices[0].text) > 10, whole)
    check("usage", whole.usage.completion_tokens == 24, whole.usage)
    stream = client.completions.create(**ask, stream=True, stream_options={"include_usage": True})
    chunks = list(stream)
    text = "".join(chunk.choices[0].text for chunk in chunks if chunk.choices)
    check("the same as it comes", text == whole.choices[0].text, text)
    check("usage of a stream", chunks[-1].usage.completion_tokens == 24)
    several = client.completions.create(**{**ask, "temperature": 1, "seed": 1, "n": 3, "logprobs": 2})
    check("choices", len({choice.text for choice in several.choices}) == 3)
    check("log probabilities", len(several.choices[0].logprobs.top_logprobs[0]) == 2)
    again = client.completions.create(**{**ask, "temperature": 1, "seed": 1})
    check("seeds", again.choices[0].text == several.choices[0].text)
    stopped = client.completions.create(**{**ask, "stop": ["."], "max_tokens": 100})
    check("stops", stopped.choices[0].finish_reason == "stop" and "." not in stopped.choices[0].text)
    tokens = client.completions.create(**{**ask, "prompt": [1, 2, 3]})
    check("tokens", tokens.usage.prompt_tokens == 3)
    vectors = client.embeddings.create(model=MODEL, input=["a cat", "a dog"])
    check("embeddings", len(vectors.data) == 2 and abs(sum(x * x for x in vectors.data[0].embedding) - 1) < 1e-3)
    chats(client)
    refusals(client)


def chats(client):
    ask = dict(model=CHAT, messages=MESSAGES, max_tokens=24, temperature=0)
    whole = client.chat.completions.create(**ask)
    check("chat", whole.choices[0].message.role == "assistant" and whole.choices[0].message.content)
    chunks = list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    check("chat as it comes", text == whole.choices[0].message.content, text)
    likely = client.chat.completions.create(**ask, logprobs=True, top_logprobs=3)
    check("chat's log probabilities", len(likely.choices[0].logprobs.content[0].top_logprobs) == 3)
    ask["max_tokens"] = 400
    parsed = client.chat.completions.parse(**ask, response_format=Person)
    check("schema", isinstance(parsed.choices[0].message.parsed, Person), parsed)
    obj = client.chat.completions.create(**{**ask, "max_tokens": 60}, response_format={"type": "json_object"})
    check("json", obj.choices[0].message.content.lstrip().startswith("{"))
    tools = [{"type": "function", "function": {"name": "person", "parameters": SCHEMA}}]
    called = client.chat.completions.create(**ask, tools=tools, tool_choice="required", parallel_tool_calls=False)
    call = called.choices[0].message.tool_calls[0]
    check("tools", called.choices[0].finish_reason == "tool_calls" and call.function.name == "person")
    check("arguments", isinstance(json.loads(call.function.arguments)["old"], bool))
    result = [
        *MESSAGES,
        called.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": call.id, "content": "done"},
    ]
    told = client.chat.completions.create(**{**ask, "messages": result, "max_tokens": 8}, tools=tools)
    check("results of tools", told.choices[0].message is not None)
    one = dict(tools=tools, tool_choice="required", parallel_tool_calls=False)
    with client.chat.completions.stream(**ask, **one) as stream:
        final = stream.get_final_completion()
    check("tools as they come", final.choices[0].message.tool_calls[0].function.name == "person")
    first = client.responses.create(model=CHAT, input="Tell me a story.", max_output_tokens=24, temperature=0)
    check("response", len(first.output_text) > 0, first)
    second = client.responses.create(model=CHAT, input="Go on.", previous_response_id=first.id, max_output_tokens=8)
    check("response that goes on", second.previous_response_id == first.id)
    check("response that is kept", client.responses.retrieve(first.id).output_text == first.output_text)
    with client.responses.stream(model=CHAT, input="Tell me a story.", max_output_tokens=24, temperature=0) as stream:
        deltas = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
    check("response as it comes", deltas == first.output_text, deltas)
    parsed = client.responses.parse(model=CHAT, input="Who?", text_format=Person, max_output_tokens=400)
    check("response with a schema", isinstance(parsed.output_parsed, Person))
    client.responses.delete(first.id)


def refusals(client):
    wrong = [
        (openai.NotFoundError, dict(model="none", prompt="x")),
        (openai.BadRequestError, dict(model=MODEL, prompt="x", temperature=-1)),
        (openai.BadRequestError, dict(model=MODEL, prompt="word " * 100_000)),
    ]
    for kind, ask in wrong:
        try:
            client.completions.create(**ask)
        except kind as error:
            check("refusal", error.body["param"] in ("model", "temperature", "prompt"), error.body)
        else:
            raise AssertionError(ask)


def with_anthropic():
    client = anthropic.Anthropic(base_url=URL, api_key="none", max_retries=0)
    ask = dict(model=CHAT, messages=MESSAGES, max_tokens=24, temperature=0, system="You tell stories.")
    whole = client.messages.create(**ask)
    check("message", whole.type == "message" and whole.content[0].text, whole)
    with client.messages.stream(**ask) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    check("message as it comes", text == whole.content[0].text, text)
    check("stop reason", final.stop_reason == whole.stop_reason and final.usage.output_tokens > 0)
    check("count", client.messages.count_tokens(model=CHAT, messages=MESSAGES).input_tokens > 2)
    tools = [{"name": "person", "description": "A person", "input_schema": SCHEMA}]
    ask = {**ask, "max_tokens": 400}
    used = client.messages.create(**ask, tools=tools, tool_choice={"type": "any", "disable_parallel_tool_use": True})
    check("tool use", used.stop_reason == "tool_use" and isinstance(used.content[-1].input["old"], bool), used)
    with client.messages.stream(**ask, tools=tools, tool_choice={"type": "tool", "name": "person"}) as stream:
        check("tool use as it comes", stream.get_final_message().content[-1].name == "person")
    result = {"type": "tool_result", "tool_use_id": used.content[-1].id, "content": "done"}
    messages = [*MESSAGES, {"role": "assistant", "content": used.content}, {"role": "user", "content": [result]}]
    check("tool results", client.messages.create(**{**ask, "messages": messages, "max_tokens": 8}).content is not None)
    try:
        client.messages.create(model="none", messages=MESSAGES, max_tokens=1)
    except anthropic.NotFoundError as error:
        check("refusal", error.body["error"]["type"] == "not_found_error")
    else:
        raise AssertionError("an unknown model")


def with_ollama():
    client = ollama.Client(host=URL)
    check("tags", MODEL in [model.model for model in client.list().models])
    options = {"num_predict": 24, "temperature": 0}
    whole = client.chat(CHAT, MESSAGES, options=options)
    check("chat", whole.done and whole.message.content, whole)
    pieces = list(client.chat(CHAT, MESSAGES, options=options, stream=True))
    check("chat as it comes", "".join(piece.message.content for piece in pieces) == whole.message.content)
    check("counts", pieces[-1].eval_count > 0 and pieces[-1].total_duration > 0)
    raw = client.generate(MODEL, "Once upon a time", raw=True, options=options)
    check("generate", len(raw.response) > 10, raw)
    longer = {"num_predict": 400}
    formatted = client.chat(CHAT, MESSAGES, format=SCHEMA, options=longer)
    check("format", json.loads(formatted.message.content)["name"] in ("Tom", "Ann"))
    check("embed", len(client.embed(MODEL, ["a", "b"]).embeddings) == 2)
    check("ps", MODEL in [model.model for model in client.ps().models])
    check("show", "completion" in client.show(MODEL).capabilities)
    try:
        client.chat("none", MESSAGES)
    except ollama.ResponseError as error:
        check("refusal", error.status_code == 404)
    else:
        raise AssertionError("an unknown model")


CHAT = sys.argv[2] if len(sys.argv) > 2 else MODEL
with_openai()
with_anthropic()
with_ollama()
print(f"{checks} checks of the Python clients passed")
