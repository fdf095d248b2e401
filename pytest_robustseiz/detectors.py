"""Finding the detector that a run names, and the device it runs on."""

import importlib
import importlib.util
import os
import sys
from importlib.metadata import entry_points
from typing import Any

import pytest

from pytest_robustseiz.adapters import Adapter

GROUP = "robustseiz.adapters"

MISSING = """\
no detector to test. Either define the fixture in conftest.py:

    @pytest.fixture(scope="session")
    def robustseiz_adapter(robustseiz_device):
        return MyAdapter("weights.pt", device=robustseiz_device)

or name a factory: --robustseiz-adapter=package.module:factory (called with device=...), or --robustseiz-adapter=demo"""


def load_adapter(name: str, device: str) -> Adapter:
    """Build the detector that `--robustseiz-adapter` names.

    Parameters
    ----------
    name : str
        "module:factory", "demo", or a name in the entry-point group `robustseiz.adapters`.
    device : str
        Handed to the factory.

    Raises
    ------
    pytest.UsageError
        When there is no such factory, or what it returns is not an adapter.
    """
    return require_adapter(_factory(name)(device=device), f"--robustseiz-adapter={name}")


def require_adapter(value: object, where: str) -> Adapter:
    """Check that a value keeps the contract of `Adapter`.

    Raises
    ------
    pytest.UsageError
        Naming what is missing.
    """
    needed = ("name", "montages", "detect", "agreement", "fingerprint")
    lacking = [attribute for attribute in needed if not hasattr(value, attribute)]
    if lacking:
        raise pytest.UsageError(
            f"{where}: {type(value).__name__} is not an adapter: it has no {', '.join(lacking)} "
            "(see pytest_robustseiz.adapters.Adapter)"
        )
    adapter: Any = value
    wrong = not adapter.montages or isinstance(adapter.montages, str) or set(adapter.montages) - {"unipolar", "bipolar"}
    if wrong:
        raise pytest.UsageError(
            f"{where}: montages must be a tuple of 'unipolar' and 'bipolar', got {adapter.montages!r}"
        )
    result: Adapter = adapter
    return result


def _factory(name: str) -> Any:
    if name == "demo":
        name = "pytest_robustseiz.demo_detector:demo_adapter"
    module_name, colon, attribute = name.partition(":")
    if not colon:
        offered = {point.name: point for point in entry_points(group=GROUP)}
        if name not in offered:
            raise pytest.UsageError(
                f"--robustseiz-adapter: {name!r} is neither module:factory nor a known name; "
                f"known are {', '.join(sorted({'demo', *offered}))}"
            )
        return offered[name].load()
    try:
        return getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise pytest.UsageError(f"--robustseiz-adapter={name}: {error}") from error


def choose_device(device: str, worker: str | None) -> str:
    """Device of this process.

    Parameters
    ----------
    device : str
        "cpu", "cuda:1" and the like are returned as they are; "cuda" gives the i-th worker the i-th visible GPU,
        modulo their number.
    worker : str, optional
        Name that pytest-xdist gave to this process, such as "gw3".

    Raises
    ------
    pytest.UsageError
        When "cuda" is asked for and there is no GPU.
    """
    if device != "cuda":
        return device
    import torch

    count = torch.cuda.device_count()
    if count == 0:
        raise pytest.UsageError("--robustseiz-device=cuda: torch sees no GPU; use --robustseiz-device=cpu")
    index = int(worker.removeprefix("gw")) if worker else 0
    return f"cuda:{index % count}"


def share_cores(workers: int) -> None:
    """Give torch and the numerical libraries their part of the cores when several workers run.

    Parameters
    ----------
    workers : int
        Number of processes on this machine.
    """
    threads = max(1, len(os.sched_getaffinity(0)) // workers) if hasattr(os, "sched_getaffinity") else 1
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
    else:
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))  # read when torch is imported
