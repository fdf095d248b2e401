"""The one fixture that a detector's author writes."""

import os
from pathlib import Path

import pytest
from seizure_transformer import SeizureTransformerAdapter, load_network


@pytest.fixture(scope="session")
def robustseiz_adapter(robustseiz_device: str) -> SeizureTransformerAdapter:
    """SeizureTransformer with the weights in the file that SEIZURE_TRANSFORMER_WEIGHTS names."""
    path = os.environ.get("SEIZURE_TRANSFORMER_WEIGHTS")
    if not path:  # not a skip: a gate that skips lets everything through
        raise pytest.UsageError(
            "SEIZURE_TRANSFORMER_WEIGHTS: expected the authors' model.pth, got nothing; README.md says where to get it"
        )
    return SeizureTransformerAdapter(load_network(Path(path)), device=robustseiz_device)
