"""Ray Data: text for a folder of prompts, by the example as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bessemer import llm

ROOT = Path(__file__).resolve().parents[4]
EMBER = str(ROOT / "models" / "ember" / "ember.gguf")
EXAMPLE = ROOT / "crates" / "python" / "examples" / "ray_data.py"


def test_a_folder_of_prompts(tmp_path: Path) -> None:
    prompts = {f"Once upon a time, {i}" for i in range(6)}
    (tmp_path / "prompts").mkdir()
    for i, prompt in enumerate(sorted(prompts)):
        (tmp_path / "prompts" / f"{i}.txt").write_text(prompt)
    out = tmp_path / "out"
    run = subprocess.run(
        [sys.executable, str(EXAMPLE), EMBER, str(tmp_path / "prompts"), str(out)],
        capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path,
        env=os.environ | {"RAY_DATA_DISABLE_PROGRESS_BARS": "1"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    rows = [json.loads(line) for file in out.iterdir() for line in file.read_text().splitlines()]
    assert {row["prompt"] for row in rows} == prompts and len(rows) == len(prompts)
    model = llm.load(EMBER, device="cpu")
    for row in rows:
        wanted = model.generate(row["prompt"], max_tokens=64, temperature=0)
        assert row["answer"] == wanted.finish() and row["tokens"] == len(wanted.tokens)
