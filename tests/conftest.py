"""What all tests share."""

import os
from pathlib import Path

import pytest
from tiny import make_corpus

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with real EEG and trained weights, kept outside the repository."""
    given = os.environ.get("ROBUSTSEIZ_TEST_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (folder / "SOURCES.md").is_file():
        pytest.skip(f"no real EEG at {folder}; set ROBUSTSEIZ_TEST_DATA to a folder that has it")
    return folder


@pytest.fixture(autouse=True)
def no_step_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs inside of tests must not write into the summary of a job that runs these tests."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture(scope="session")
def tiny_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic BIDS-EEG tree: three subjects of five minutes, with one, two and no seizures."""
    seizures = {"sub-01": [(100.0, 140.0)], "sub-02": [(20.0, 50.0), (200.0, 230.0)], "sub-03": []}
    return make_corpus(tmp_path_factory.mktemp("corpus"), seizures)
