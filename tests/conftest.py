"""What all tests share."""

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with real EEG and trained weights, kept outside the repository."""
    given = os.environ.get("ROBUSTSEIZ_TEST_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not (folder / "SOURCES.md").is_file():
        pytest.skip(f"no real EEG at {folder}; set ROBUSTSEIZ_TEST_DATA to a folder that has it")
    return folder
