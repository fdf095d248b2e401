"""Options, ini keys and environment variables, resolved once into a frozen `Settings`."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

Mode = Literal["full", "subset"]

ENVIRONMENT = {
    "data": "ROBUSTSEIZ_DATA",
    "registry": "ROBUSTSEIZ_REGISTRY",
    "output": "ROBUSTSEIZ_OUTPUT",
    "store": "ROBUSTSEIZ_STORE",
}

# name: (metavariable, default, help); the ini key is robustseiz_<name>
OPTIONS: dict[str, tuple[str, str, str]] = {
    "mode": (
        "MODE",
        "",
        "What to evaluate: 'subset' (the first subjects) or 'full' (all); without it robustness tests are skipped",
    ),
    "data": ("FOLDER", "", "Folder of a BIDS-EEG corpus, or 'demo' for the synthetic one"),
    "subjects": ("N", "10", "Number of subjects in subset mode, in order of folder name (default: 10)"),
    "shifts": ("NAMES", "", "Only these shifts or families, separated by commas (default: all that the tests ask for)"),
    "registry": ("FILE", "experiments_results.csv", "Where rows are appended (default: experiments_results.csv)"),
    "output": ("FOLDER", "Results", "Where hypothesis tables and scores are written (default: Results)"),
    "store": ("FOLDER", "", "Where computed cases are kept (default: below pytest's cache folder)"),
    "seed": ("N", "0", "Seed of the random shifts (default: 0)"),
    "adapter": (
        "MODULE:FACTORY",
        "",
        "Detector to test: a callable that takes device=... and returns an adapter, or 'demo'; "
        "instead of the robustseiz_adapter fixture",
    ),
    "device": (
        "DEVICE",
        "cpu",
        "What robustseiz_device returns: cpu, cuda (each worker gets the next GPU) or cuda:N (default: cpu)",
    ),
}


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do.

    Attributes
    ----------
    mode : {"full", "subset"}
        Scope of the run.
    data : str
        Folder of the corpus, or "demo".
    subjects : int
        Number of subjects in subset mode.
    shifts : tuple of str
        Names of shifts or families; empty means all.
    registry, output, store : Path
        Where results go.
    seed : int
        Seed of the random shifts.
    adapter : str
        "module:factory", a name, or empty.
    device : str
        As given.
    """

    mode: Mode
    data: str
    subjects: int
    shifts: tuple[str, ...]
    registry: Path
    output: Path
    store: Path
    seed: int
    adapter: str
    device: str


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini key."""
    group = parser.getgroup("robustseiz", "robustness of an EEG seizure detector")
    for name, (metavar, _default, text) in OPTIONS.items():
        variable = f" [${ENVIRONMENT[name]}]" if name in ENVIRONMENT else ""
        group.addoption(f"--robustseiz-{name}", metavar=metavar, default=None, help=text + variable)
        parser.addini(f"robustseiz_{name}", help=text, default="")


def resolve(config: pytest.Config) -> Settings | None:
    """Read options, environment and ini keys, in this order; None where no mode is given.

    Raises
    ------
    pytest.UsageError
        When a value is not valid; the message says which and what is.
    """
    mode = _value(config, "mode")
    if not mode:
        return None
    if mode not in ("full", "subset"):
        raise pytest.UsageError(f"--robustseiz-mode: expected 'full' or 'subset', got {mode!r}")
    store = _value(config, "store")
    return Settings(
        mode="full" if mode == "full" else "subset",
        data=_data(config),
        subjects=_whole_number(config, "subjects", least=1),
        shifts=tuple(part.strip() for part in _value(config, "shifts").split(",") if part.strip()),
        registry=_path(config, "registry"),
        output=_path(config, "output"),
        store=_path(config, "store") if store else _cache_folder(config),
        seed=_whole_number(config, "seed", least=0),
        adapter=_value(config, "adapter"),
        device=_value(config, "device"),
    )


def _value(config: pytest.Config, name: str) -> str:
    for given in (
        config.getoption(f"--robustseiz-{name}"),
        os.environ.get(ENVIRONMENT.get(name, "")),
        config.getini(f"robustseiz_{name}"),
    ):
        if given is not None and given != "":
            return str(given)
    return OPTIONS[name][1]


def _path(config: pytest.Config, name: str) -> Path:
    # Relative to where pytest was started, as pytest treats its own report paths; ini values to the root.
    value = Path(_value(config, name)).expanduser()
    given_here = config.getoption(f"--robustseiz-{name}") or os.environ.get(ENVIRONMENT[name])
    return (config.invocation_params.dir if given_here else config.rootpath) / value


def _data(config: pytest.Config) -> str:
    value = _value(config, "data")
    if not value:
        raise pytest.UsageError(
            "--robustseiz-data: no corpus given; name a BIDS-EEG folder (sub-*/[ses-*/]eeg/*_eeg.edf), or 'demo'"
        )
    return value if value == "demo" else str(_path(config, "data"))


def _whole_number(config: pytest.Config, name: str, *, least: int) -> int:
    value = _value(config, name)
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
