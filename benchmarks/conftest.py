"""What the benchmarks share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def naive_pipeline() -> Path:
    """The pipeline that a lab writes today, kept outside the repository."""
    given = os.environ.get("ROBUSTSEIZ_NAIVE_PIPELINE")
    path = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "bench" / "naive_pipeline.py"
    if not path.is_file():
        pytest.skip(f"no naive pipeline at {path}; set ROBUSTSEIZ_NAIVE_PIPELINE")
    return path
