"""The one fixture that a detector's author writes."""

import os

import pytest
from eegwavenet import EEGWaveNetAdapter


@pytest.fixture(scope="session")
def robustseiz_adapter(robustseiz_device: str) -> EEGWaveNetAdapter:
    """EEGWaveNet with the weights in the folder that EEGWAVENET_WEIGHTS names."""
    folder = os.environ.get("EEGWAVENET_WEIGHTS")
    if not folder:  # not a skip: a gate that skips lets everything through
        raise pytest.UsageError(
            "EEGWAVENET_WEIGHTS: expected a folder with model_fold_1.pt to model_fold_5.pt, got nothing; "
            "README.md says where to get them"
        )
    return EEGWaveNetAdapter(folder, device=robustseiz_device)
