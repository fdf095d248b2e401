"""Finding the detector that a run names, and the device it runs on."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

import pytest

from pytest_robustseiz.adapters import Adapter, CommandAdapter, ContainerAdapter, WindowAdapter
from pytest_robustseiz.adapters.prediction import PredictionAdapter
from pytest_robustseiz.tasks import DETECTION, PREDICTION, Task

GROUP = "robustseiz.adapters"
# "command[bipolar,timeout_s=600]:python -m my_detector": kind, options in brackets, program or image
_BY_FILES = re.compile(r"(command|szcore)(?:\[([^\]]*)\])?:(.*)", re.DOTALL)
_KEYS = {"command": ("name", "timeout_s", "version"), "szcore": ("name", "timeout_s", "engine", "pull")}

MISSING = """\
no detector to test. Either define the fixture in conftest.py:

    @pytest.fixture(scope="session")
    def robustseiz_adapter(robustseiz_device):
        return MyAdapter("weights.pt", device=robustseiz_device)

or name a factory: --robustseiz-adapter=package.module:factory (called with device=...), --robustseiz-adapter=demo,
a program: --robustseiz-adapter="command:python -m my_detector", or an image: --robustseiz-adapter=szcore:IMAGE"""


def load_adapter(name: str, device: str, *, task: Task = DETECTION) -> Adapter | PredictionAdapter:
    """Build the detector that `--robustseiz-adapter` names.

    Parameters
    ----------
    name : str
        "module:factory", "demo", a name in the entry-point group `robustseiz.adapters`, "command:PROGRAM ARGUMENTS" or
        "szcore:IMAGE". The last two take options in brackets, separated by commas: montages ("szcore[bipolar]:IMAGE";
        without any, unipolar) and the keys name, timeout_s, and version (command) or engine and pull (szcore).
    device : str
        Handed to the factory.
    task : Task
        Whether it is to be a detector or a predictor.

    Raises
    ------
    pytest.UsageError
        When there is no such factory, program or engine, or what the factory returns is not an adapter.
    """
    check_name(name, task)
    by_files = _BY_FILES.fullmatch(name)
    if task is PREDICTION:
        return require_predictor(_factory(name)(device=device), f"--robustseiz-adapter={name}")
    if by_files:
        return _reached_by_files(*by_files.groups(default=""), device=device)
    return require_adapter(_factory(name)(device=device), f"--robustseiz-adapter={name}")


def check_name(name: str, task: Task) -> None:
    """Check what a name alone can tell, so that a mistake is said once and not by each test.

    Raises
    ------
    pytest.UsageError
        When nothing of this name is known, or it is a detector in a run of the prediction task.
    """
    if task is PREDICTION and (_BY_FILES.fullmatch(name) or name == "demo"):
        raise pytest.UsageError(f"--robustseiz-adapter={name}: a detector, and this run is of the prediction task")
    if ":" in name or name == "demo":
        return
    offered = _offered()
    if name not in offered:
        raise pytest.UsageError(
            f"--robustseiz-adapter: {name!r} is neither module:factory nor a known name; "
            f"known are {', '.join(sorted({'demo', *offered}))}; command:PROGRAM and szcore:IMAGE name others"
        )


def _offered() -> dict[str, EntryPoint]:
    """What installed packages offer, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def require_adapter(value: object, where: str) -> Adapter:
    """Check that a value keeps the contract of `Adapter`.

    Raises
    ------
    pytest.UsageError
        Naming what is missing.
    """
    _require_parts(value, "detect", where)
    return cast("Adapter", value)


def require_predictor(value: object, where: str) -> PredictionAdapter:
    """Check that a value keeps the contract of `PredictionAdapter`; raises as `require_adapter`."""
    if isinstance(value, WindowAdapter):  # whose predict() is a step of a detector, of windows and not of recordings
        raise pytest.UsageError(
            f"{where}: {type(value).__name__} is a detector, and this run is of the prediction task"
        )
    _require_parts(value, "predict", where)
    return cast("PredictionAdapter", value)


def _require_parts(value: object, question: str, where: str) -> None:
    """Check the attributes of an adapter; `question` is the method by which it is asked."""
    needed = ("name", "montages", question, "agreement", "fingerprint")
    lacking = [attribute for attribute in needed if not hasattr(value, attribute)]
    if lacking:
        raise pytest.UsageError(
            f"{where}: {type(value).__name__} is not an adapter: it has no {', '.join(lacking)} "
            f"(see pytest_robustseiz.adapters.{'Adapter' if question == 'detect' else 'PredictionAdapter'})"
        )
    adapter: Any = value
    wrong = not adapter.montages or isinstance(adapter.montages, str) or set(adapter.montages) - {"unipolar", "bipolar"}
    if wrong:
        raise pytest.UsageError(
            f"{where}: montages must be a tuple of 'unipolar' and 'bipolar', got {adapter.montages!r}"
        )


def _reached_by_files(kind: str, options: str, target: str, *, device: str) -> Adapter:
    try:
        given = _file_options(kind, options)
        if kind == "command":
            return CommandAdapter(target, device=device, **given)
        return ContainerAdapter(target, device=device, **given)
    except ValueError as error:
        raise pytest.UsageError(f"--robustseiz-adapter={kind}: {error}") from error


def _file_options(kind: str, text: str) -> dict[str, Any]:
    """Options in brackets, by the names of the adapter's arguments."""
    options: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = part.partition("=")
        if part in ("unipolar", "bipolar"):
            options["montages"] = (*options.get("montages", ()), part)
        elif key in _KEYS[kind] and value:
            options[key] = float(value) if key == "timeout_s" else value
        else:
            keys = ", ".join(f"{key}=..." for key in _KEYS[kind])
            raise ValueError(f"options in brackets are unipolar, bipolar, {keys}, got {part!r}")
    return options


def _factory(name: str) -> Any:
    if name == "demo":
        name = "pytest_robustseiz.demo_detector:demo_adapter"
    module_name, colon, attribute = name.partition(":")
    if not colon:
        return _offered()[name].load()
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
    count = _count_gpus()
    if count == 0:
        raise pytest.UsageError("--robustseiz-device=cuda: there is no GPU to be seen; use --robustseiz-device=cpu")
    index = int(worker.removeprefix("gw")) if worker else 0
    return f"cuda:{index % count}"


def _count_gpus() -> int:
    """GPUs that torch sees; a detector that is reached by files needs no torch, so else those of the driver."""
    try:
        import torch
    except ImportError:
        given = os.environ.get("CUDA_VISIBLE_DEVICES")
        if given is not None:
            return len([part for part in given.split(",") if part.strip() not in ("", "-1")])
        tool = shutil.which("nvidia-smi")
        listed = subprocess.run([tool, "--list-gpus"], capture_output=True, text=True, check=False) if tool else None
        return listed.stdout.count("GPU ") if listed and not listed.returncode else 0
    return torch.cuda.device_count()


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
