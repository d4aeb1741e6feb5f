"""What all tests share: how many examples, and where the repository is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "bessemer",
    max_examples=int(os.environ.get("BESSEMER_EXAMPLES", "300")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("bessemer")

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def ember() -> str:
    """A toy model that writes stories."""
    return str(ROOT / "models" / "ember" / "ember.gguf")


@pytest.fixture(scope="session")
def spark() -> str:
    """The same with a recurrence instead of attention."""
    return str(ROOT / "models" / "spark" / "spark.gguf")
