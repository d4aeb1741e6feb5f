"""Language models: text, chats, sessions, settings, tasks and threads."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest

import bessemer as bm
from bessemer import llm


@pytest.fixture(scope="module", params=["ember", "spark"])
def model(request: pytest.FixtureRequest) -> llm.Llm:
    return llm.load(request.getfixturevalue(request.param), device="cpu")


GREEDY = {"temperature": 0, "max_tokens": 12}


def test_text_in_pieces(model: llm.Llm) -> None:
    generation = model.generate("Once upon a time", **GREEDY)
    assert generation.stop_reason is None and generation.timings == {}
    pieces = list(generation)
    assert "".join(pieces) == generation.text and len(generation.tokens) == 12
    assert generation.stop_reason == "length" and "length" in repr(generation)
    assert generation.timings["tokens"] == 12 and generation.timings["prompt_tokens"] > 0
    assert next(generation, None) is None
    assert model.generate("Once upon a time", **GREEDY).finish() == generation.text
    again = model.generate(model.tokenize("Once upon a time", affixes=True), **GREEDY)
    assert isinstance(again.finish(), str)


def test_seeds_and_stops(model: llm.Llm) -> None:
    settings = {"temperature": 0.9, "max_tokens": 20, "seed": 7}
    texts = {model.generate("One day", **settings).finish() for _ in range(3)}
    assert len(texts) == 1
    stopped = model.generate("Once upon a time", stop=["a"], max_tokens=50, temperature=0)
    assert "a" not in stopped.finish() and stopped.stop_reason == "stop"


def test_sessions(model: llm.Llm) -> None:
    session = model.session(context=128)
    first = model.generate("Once upon a time", session=session, **GREEDY).finish()
    assert session.text.startswith("Once upon a time") and len(session) == len(session.tokens)
    assert session.capacity == 128 and session.room == 128 - len(session)
    assert model.generate("Once upon a time", session=session, **GREEDY).finish() == first
    other, saved, tokens = session.fork(), session.save(), session.tokens
    session.rewind(3)
    assert session.tokens == tokens[:3] and other.tokens == tokens
    session.restore(saved)
    assert session.tokens == tokens
    more = model.tokenize(" the")
    a, b = session.extend(more), other.extend(more)
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    session.snapshot()
    for damaged in (b"", b"nothing", saved[:-3], saved[:40] + b"x" + saved[41:]):
        with pytest.raises((ValueError, OSError)):
            session.restore(damaged)
    with pytest.raises(ValueError, match="context"):
        model.generate("Once " * 200, session=session)
    with pytest.raises(ValueError, match="cache"):
        model.session(cache="i32")
    with pytest.raises(ValueError, match="dtype"):
        model.session(cache="text")


def test_a_session_belongs_to_its_generation(model: llm.Llm) -> None:
    session = model.session(context=64)
    generation = model.generate("Once", session=session, max_tokens=30)
    next(generation)
    with pytest.raises(RuntimeError, match="being generated"):
        session.tokens
    assert repr(session) == "<Session: generating>"
    generation.close()
    assert len(session.tokens) > 0 and next(generation, None) is None
    with model.generate("Once", session=session, max_tokens=30) as generation:
        next(generation)
    assert len(session.tokens) > 0
    next(model.generate("Once", session=session, max_tokens=30))
    assert len(session.tokens) > 0


def test_numbers_of_a_model(model: llm.Llm) -> None:
    logits = model.logits("Once upon a")
    assert logits.shape == (model.config["vocabulary"],) and logits.dtype == bm.float32
    best = int(bm.argmax(logits))
    assert model.generate("Once upon a", temperature=0, max_tokens=1).finish() == model.detokenize([best])
    cat, dog, far = (np.asarray(model.embed(text)) for text in ("a cat", "a dog", "rain, rain"))
    assert cat.shape == (model.config["hidden"],) and np.isfinite(cat).all() and not (cat == dog).all()
    assert far.shape == cat.shape
    assert model.detokenize(model.tokenize("Hello, world")) == "Hello, world"
    with pytest.raises(ValueError, match="token"):
        model.detokenize([10**6])


def test_async(model: llm.Llm) -> None:
    async def text() -> str:
        return "".join([piece async for piece in model.generate("Once upon a time", **GREEDY)])

    async def both() -> list[str]:
        return await asyncio.gather(text(), text())

    wanted = model.generate("Once upon a time", **GREEDY).finish()
    assert asyncio.run(both()) == [wanted, wanted]

    async def cancelled() -> str | None:
        generation = model.generate("Once", max_tokens=10**6, keep=4, ignore_end=True)

        async def consume() -> None:
            async for _ in generation:
                pass

        task = asyncio.create_task(consume())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return generation.stop_reason

    asyncio.run(cancelled())


def test_threads(model: llm.Llm) -> None:
    wanted = model.generate("Once upon a time", **GREEDY).finish()
    found: list[str] = []

    def work() -> None:
        found.append(model.generate("Once upon a time", **GREEDY).finish())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_cancel(model: llm.Llm) -> None:
    generation = model.generate("Once", max_tokens=10**6, keep=4, ignore_end=True)
    threading.Timer(0.1, generation.cancel).start()
    for _ in generation:
        pass
    assert generation.stop_reason == "cancelled"


def test_settings_are_checked(model: llm.Llm) -> None:
    names = [setting.name for setting in llm.settings()]
    assert "temperature" in names and "top_p" in names
    for wrong in ({"temperature": "hot"}, {"temperature": -1}, {"top_p": 2}, {"stop": [""]},
                  {"logit_bias": {"x": 1}}, {"temperature": float("inf")}):  # fmt: skip
        with pytest.raises(ValueError):
            model.generate("Once", **wrong).finish()
    with pytest.raises(TypeError, match="no setting `tempo`"):
        model.generate("Once", tempo=1)
    with pytest.raises(TypeError, match="prompt"):
        model.generate(3.5)
    with pytest.raises(ValueError, match="token"):
        model.generate([10**6]).finish()
    model.generate("Once", logit_bias={5: -100}, top_k=20, max_tokens=2, seed=None).finish()


def test_chats(model: llm.Llm) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello!"}]
    with pytest.raises(ValueError, match="the model has none"):
        model.chat(messages)
    with pytest.raises(ValueError, match="the model has none"):
        model.render("Hello")
    for wrong in ([{"content": "x"}], [3], 3, [{"role": 3}]):
        with pytest.raises(TypeError):
            model.chat(wrong)


def test_loading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ember: str) -> None:
    with pytest.raises(FileNotFoundError, match="no such file or model"):
        llm.load("nothing-of-that-name")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF\3\0\0\0" + b"\1" * 100)
    with pytest.raises(ValueError, match=r"broken\.gguf"):
        llm.load(broken)
    monkeypatch.setenv("BESSEMER_MODELS", str(tmp_path / "models"))
    assert llm.models() == []
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mine.gguf").write_bytes(Path(ember).read_bytes())
    assert [entry.name for entry in llm.models()] == ["mine"]
    assert llm.load("mine", device="cpu").name == "mine"
    assert "smollm2:135m" in llm.catalogue()
    with pytest.raises(ValueError):
        llm.pull("no such name")


def test_progress_bars(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from bessemer._progress import Progress

    with Progress("model") as quiet:
        quiet.update("downloading", 1, 10)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with Progress("model") as bar:
        bar.update("downloading", 500_000, 1_000_000)
        bar.update("downloading", 1_000_000, 1_000_000)
    said = capsys.readouterr().err
    assert "model: downloading [============            ]  50% 500.0 kB of 1.0 MB" in said
    assert said.endswith("\n")
    with Progress("model", shown=False) as bar:
        bar.update("downloading", 1, None)
    assert capsys.readouterr().err == ""
