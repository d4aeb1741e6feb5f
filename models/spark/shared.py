"""What spark has from ember, the model next to it: stories, tokenizer, batches and the loss."""

import importlib.util
import sys
from pathlib import Path

EMBER = Path(__file__).resolve().parent.parent / "ember"


def part(name):
    """A module of ember under a name that does not meet one of spark's."""
    spec = importlib.util.spec_from_file_location(f"ember_{name}", EMBER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.append(str(EMBER))
data, train, export = part("data"), part("train"), part("export")
