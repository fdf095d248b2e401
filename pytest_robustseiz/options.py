"""What a run was asked to do: options, ini keys and environment variables, resolved once into `Settings`."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

from pytest_robustseiz.optiontable import ANYWAY, given, given_path, ini_key, optional_path
from pytest_robustseiz.protocols import PROTOCOLS, Protocol
from pytest_robustseiz.tasks import PREDICTION, TASKS, Task

Mode = Literal["full", "subset"]
Mcd = Literal["auto", "on", "off"]
Gate = Literal["point", "interval", "holm"]
MOST_PASSES = 1000


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do.

    Attributes
    ----------
    mode : {"full", "subset"}
        Scope of the run.
    task : Task
        What is asked of the model.
    protocol : Protocol or None
        Of the prediction task, where one was asked for.
    data : str
        Folder of the corpus, or "demo".
    subjects : int
        Number of subjects in subset mode.
    shifts : tuple of str
        Names of shifts or families; empty means all.
    grid : str
        Name of a grid, or path of a TOML file.
    registry, output, store : Path
        Where results go.
    seed : int
        Seed of the random shifts.
    mcd : {"auto", "on", "off"}
        Agreement stage as asked for.
    passes : int
        Number of its stochastic passes T.
    tau : float
        Probability that counts as seizure there.
    gate : {"point", "interval", "holm"}
        How drops of pooled figures are judged.
    compare : Path or None
        Registry of an earlier run.
    max_regression : str
        Limits of that comparison as given.
    compare_anyway : bool
        Whether to compare what is not about the same.
    report, summary : Path or None
        Page and Markdown summary to write.
    training_subjects : Path or None
        File that names the subjects of the training.
    adapter : str
        "module:factory", a name, or empty.
    device : str
        As given.
    """

    mode: Mode
    task: Task
    protocol: Protocol | None
    data: str
    subjects: int
    shifts: tuple[str, ...]
    grid: str
    registry: Path
    output: Path
    store: Path
    seed: int
    mcd: Mcd
    passes: int
    tau: float
    gate: Gate
    compare: Path | None
    max_regression: str
    compare_anyway: bool
    report: Path | None
    summary: Path | None
    training_subjects: Path | None
    adapter: str
    device: str

    @property
    def agreement_is_on(self) -> bool:
        """Whether the agreement stage is to run."""
        return self.mcd == "on" or (self.mcd == "auto" and self.mode == "subset")


def resolve(config: pytest.Config) -> Settings | None:
    """Read options, environment and ini keys, in this order; None where no mode is given.

    Raises
    ------
    pytest.UsageError
        When a value is not valid; the message says which and what is.
    """
    mode = given(config, "mode")
    if not mode:
        return None
    if mode not in ("full", "subset"):
        raise pytest.UsageError(f"--robustseiz-mode: expected 'full' or 'subset', got {mode!r}")
    store, task = given(config, "store"), _task(config)
    return Settings(
        mode="full" if mode == "full" else "subset",
        task=task,
        protocol=_protocol(config, task),
        data=_data(config),
        subjects=_whole_number(config, "subjects", least=1),
        shifts=tuple(part.strip() for part in given(config, "shifts").split(",") if part.strip()),
        grid=_grid(config),
        registry=given_path(config, "registry", task.registry),
        output=given_path(config, "output", task.output),
        store=given_path(config, "store") if store else _cache_folder(config),
        seed=_whole_number(config, "seed", least=0),
        mcd=_mcd(config),
        passes=_passes(config),
        tau=_tau(config),
        gate=_gate(config),
        compare=optional_path(config, "compare"),
        max_regression=given(config, "max-regression"),
        compare_anyway=bool(config.getoption(f"--robustseiz-{ANYWAY}") or config.getini(ini_key(ANYWAY))),
        report=optional_path(config, "report"),
        summary=optional_path(config, "summary"),
        training_subjects=optional_path(config, "training-subjects"),
        adapter=given(config, "adapter"),
        device=given(config, "device"),
    )


def _task(config: pytest.Config) -> Task:
    value = given(config, "task")
    if value not in TASKS:
        raise pytest.UsageError(f"--robustseiz-task: expected {' or '.join(map(repr, TASKS))}, got {value!r}")
    return TASKS[value]


def _protocol(config: pytest.Config, task: Task) -> Protocol | None:
    value = given(config, "protocol")
    if task is not PREDICTION and config.getoption("--robustseiz-protocol"):
        raise pytest.UsageError(
            "--robustseiz-protocol: protocols are of the prediction task; add --robustseiz-task=prediction"
        )
    if not value or task is not PREDICTION:  # a project of both tasks may have its protocol in the ini file
        return None
    if value not in PROTOCOLS:
        raise pytest.UsageError(f"--robustseiz-protocol: expected {', '.join(PROTOCOLS)}, got {value!r}")
    return PROTOCOLS[value]


def _data(config: pytest.Config) -> str:
    value = given(config, "data")
    if not value:
        raise pytest.UsageError(
            "--robustseiz-data: no corpus given; name a BIDS-EEG folder (sub-*/[ses-*/]eeg/*_eeg.edf), or 'demo'"
        )
    return value if value == "demo" else str(given_path(config, "data"))


def _grid(config: pytest.Config) -> str:
    value = given(config, "grid")
    return str(given_path(config, "grid")) if value.endswith(".toml") else value


def _mcd(config: pytest.Config) -> Mcd:
    value = given(config, "mcd")
    for known in get_args(Mcd):
        if value == known:
            return known  # type: ignore[no-any-return]
    raise pytest.UsageError(f"--robustseiz-mcd: expected 'auto', 'on' or 'off', got {value!r}")


def _gate(config: pytest.Config) -> Gate:
    value = given(config, "gate")
    for known in get_args(Gate):
        if value == known:
            return known  # type: ignore[no-any-return]
    raise pytest.UsageError(f"--robustseiz-gate: expected 'point', 'interval' or 'holm', got {value!r}")


def _passes(config: pytest.Config) -> int:
    passes = _whole_number(config, "mcd-passes", least=1)
    if passes > MOST_PASSES:
        raise pytest.UsageError(f"--robustseiz-mcd-passes: expected at most {MOST_PASSES}, got {passes}")
    return passes


def _tau(config: pytest.Config) -> float:
    value = given(config, "mcd-threshold")
    try:
        tau = float(value)
    except ValueError:
        tau = math.nan
    if not 0 <= tau <= 1:
        raise pytest.UsageError(f"--robustseiz-mcd-threshold: expected a probability from 0 to 1, got {value!r}")
    return tau


def _whole_number(config: pytest.Config, name: str, *, least: int) -> int:
    value = given(config, name)
    if not value.isdecimal() or int(value) < least:
        raise pytest.UsageError(f"--robustseiz-{name}: expected a whole number of at least {least}, got {value!r}")
    return int(value)


def cache_folder(config: pytest.Config, name: str) -> Path:
    """A folder of ours in pytest's cache, for what can be computed again."""
    cache: Any = getattr(config, "cache", None)
    if cache is None:  # the cacheprovider plugin was switched off
        return config.rootpath / ".pytest_cache" / "d" / name
    return Path(cache.mkdir(name))


def _cache_folder(config: pytest.Config) -> Path:
    return cache_folder(config, "robustseiz")
