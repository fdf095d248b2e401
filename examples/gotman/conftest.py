"""The one fixture that a detector's author writes."""

import pytest
from gotman import Gotman


@pytest.fixture(scope="session")
def robustseiz_adapter(robustseiz_device: str) -> Gotman:
    """Gotman's rules; there is nothing to load."""
    return Gotman(device=robustseiz_device)
