"""Ray Data: text for a folder of prompts, by the example."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray

from bessemer import llm

ROOT = Path(__file__).resolve().parents[4]
EMBER = str(ROOT / "models" / "ember" / "ember.gguf")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.filterwarnings("default")
def test_a_folder_of_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "crates" / "python" / "examples"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "crates" / "python" / "examples"))
    sys.modules.pop("ray_data", None)
    import ray_data

    prompts = {f"{i}.txt": f"Once upon a time, {i}" for i in range(6)}
    for name, prompt in prompts.items():
        (tmp_path / name).write_text(prompt)
    rows = ray_data.write(EMBER, str(tmp_path), workers=2, max_tokens=8).take_all()
    assert sorted(row["text"] for row in rows) == sorted(prompts.values())
    model = llm.load(EMBER, device="cpu")
    for row in rows:
        assert row["tokens"] == 8
        assert row["answer"] == model.generate(row["text"], max_tokens=8, temperature=0).finish()
