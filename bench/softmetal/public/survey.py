"""How much of public shader packages compiles: `survey.py [name ...]`, all of them or some.

Fetches each from its registry, hands every file to `softmetal check`, and writes the counts into the
table of bench/softmetal/README.md.
"""

import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

from harness import ROOT, SOFTMETAL
from sources import crate, ggml, npm

README = os.path.join(ROOT, "bench/softmetal/README.md")
BEGIN, END = "<!-- survey -->", "<!-- end of survey -->"
PATIENCE = 1800  # seconds for one file; some have a thousand kernels

# Package, registry, the folder with its files, which of them are whole, and folders of headers. A
# file that others include has no kernels of its own and counts with those.
PACKAGES = [
    ("candle-metal-kernels", "crates.io", lambda: crate("candle-metal-kernels", "0.11.1"), "src/metal_src/*.metal", ["src/metal_src"]),
    ("tract-metal", "crates.io", lambda: crate("tract-metal", "0.23.9"), "src/kernels/**/*.metal", ["src/kernels"]),
    ("mistralrs-quant", "crates.io", lambda: crate("mistralrs-quant", "0.8.1"), "src/metal_kernels/*.metal", ["src/metal_kernels"]),
    ("mistralrs-paged-attn", "crates.io", lambda: crate("mistralrs-paged-attn", "0.8.1"), "src/metal/kernels/*.metal", ["src/metal/kernels"]),
    ("ministark-gpu", "crates.io", lambda: crate("ministark-gpu", "0.3.0"), "src/metal/shaders.metal", ["src/metal"]),
    ("metal", "crates.io", lambda: crate("metal", "0.33.0"), "examples/**/*.metal", []),
    ("llama-cpp-python", "PyPI", ggml, "ggml-metal/ggml-metal.metal", ["ggml-metal", "."]),
    ("llama.rn", "npm", lambda: npm("llama.rn", "0.12.9"), "cpp/ggml-metal/*.metal", ["cpp", "cpp/ggml-metal"]),
    ("whisper.rn", "npm", lambda: npm("whisper.rn", "0.7.4"), "cpp/ggml-metal/*.metal", ["cpp", "cpp/ggml-metal"]),
]


def check(file, folders):
    """Kernels that compile (run here or not), and the first error if there is one."""
    command = [SOFTMETAL, "check", file, "--json"]
    for folder in [os.path.dirname(file), *folders]:
        command += ["-I", folder]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return 0, f"it takes longer than {PATIENCE} s"
    except ValueError:
        return 0, (done.stdout + done.stderr)[:200]
    if "kernels" in found:
        # What a pipeline says of threadgroup memory, the library says nothing of.
        over = len(found["errors"])
        return len(found["kernels"]) + over + sum(1 for n in found["not_run"] if n["compiled"]), None
    return 0, found["errors"][0]["message"].split("\n")[0]


def written(file):
    """Kernels that a file names, for those that could not be counted by compiling it."""
    with open(file, errors="replace") as f:
        return len(re.findall(r"\bkernel\s+void\b|\[\[\s*kernel\s*\]\]", f.read()))


def survey(name, registry, fetch, pattern, headers):
    root = fetch()
    files = sorted(glob.glob(os.path.join(root, pattern), recursive=True))
    folders = [os.path.join(root, h) for h in headers]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda f: check(f, folders), files))
    refused = [(f, why) for f, (_, why) in zip(files, results) if why]
    for file, why in refused:
        print(f"      {os.path.relpath(file, root)}: {why}", flush=True)
    kernels = sum(n for n, _ in results)
    lost = sum(written(f) for f, _ in refused)
    return f"| {name} | {registry} | {len(files)} | {kernels} | {len(files) - len(refused)} | {len(refused)} ({lost} kernels) |"


def main():
    with open(README) as f:
        before, rest = f.read().split(BEGIN)
    table, after = rest.split(END)
    rows = {line.split("|")[1].strip(): line for line in table.splitlines() if line.startswith("| ")}
    for package in PACKAGES:
        if sys.argv[1:] and package[0] not in sys.argv[1:]:
            continue
        rows[package[0]] = survey(*package)
        print(rows[package[0]], flush=True)
    head = ["| package | registry | files | kernels compiled | files compiled | files refused |", "| --- | --- | --- | --- | --- | --- |"]
    body = [rows[p[0]] for p in PACKAGES if p[0] in rows]
    with open(README, "w") as f:
        f.write(before + BEGIN + "\n" + "\n".join(head + body) + "\n" + END + after)


main()
