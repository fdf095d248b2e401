"""The one fixture that a detector's author writes."""

import os

import pytest
from brainmaze_seizure import BrainmazeAdapter


@pytest.fixture(scope="session")
def robustseiz_adapter(robustseiz_device: str) -> BrainmazeAdapter:
    """The published model, or the one that BRAINMAZE_MODEL names."""
    return BrainmazeAdapter(os.environ.get("BRAINMAZE_MODEL", "modelA"), device=robustseiz_device)
