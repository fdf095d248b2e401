"""Options, ini keys and environment variables, resolved once into a frozen `Settings`."""

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

Mode = Literal["full", "subset"]
Mcd = Literal["auto", "on", "off"]
Gate = Literal["point", "interval", "holm"]
MOST_PASSES = 1000

ENVIRONMENT = {
    "data": "ROBUSTSEIZ_DATA",
    "grid": "ROBUSTSEIZ_GRID",
    "registry": "ROBUSTSEIZ_REGISTRY",
    "output": "ROBUSTSEIZ_OUTPUT",
    "store": "ROBUSTSEIZ_STORE",
    "compare": "ROBUSTSEIZ_COMPARE",
    "report": "ROBUSTSEIZ_REPORT",
    "summary": "GITHUB_STEP_SUMMARY",  # GitHub sets it for each step of a job
}

# name: (metavariable, default, help); the ini key is robustseiz_<name>, with underscores for hyphens
OPTIONS: dict[str, tuple[str, str, str]] = {
    "mode": (
        "MODE",
        "",
        "What to evaluate: 'subset' (the first subjects) or 'full' (all); without it robustness tests are skipped",
    ),
    "data": ("FOLDER", "", "Folder of a BIDS-EEG corpus, or 'demo' for the synthetic one"),
    "subjects": ("N", "10", "Number of subjects in subset mode, in order of folder name (default: 10)"),
    "shifts": ("NAMES", "", "Only these shifts or families, separated by commas (default: all that the tests ask for)"),
    "grid": (
        "GRID",
        "paper",
        "Settings to run where neither a marker nor the fixture robustseiz_grid says: 'paper', 'smoke' or a TOML file "
        "(default: paper)",
    ),
    "registry": ("FILE", "experiments_results.csv", "Where rows are appended (default: experiments_results.csv)"),
    "output": ("FOLDER", "Results", "Where hypothesis tables and scores are written (default: Results)"),
    "store": ("FOLDER", "", "Where computed cases are kept (default: below pytest's cache folder)"),
    "seed": ("N", "0", "Seed of the random shifts (default: 0)"),
    "mcd": (
        "WHEN",
        "auto",
        "Agreement stage by Monte Carlo dropout: 'on', 'off', or 'auto', which is on in subset mode (default: auto)",
    ),
    "mcd-passes": ("T", "5", "Stochastic passes of the agreement stage (default: 5)"),
    "mcd-threshold": ("TAU", "0.8", "Probability that counts as seizure in the agreement stage (default: 0.8)"),
    "gate": (
        "HOW",
        "point",
        "Fail a drop of a pooled figure by 'point' (it is above its limit), by 'interval' (so is its whole interval "
        "over subjects), or the run by 'holm' (so are drops after correction for their number) (default: point)",
    ),
    "compare": ("FILE", "", "Registry of an earlier run that this one must not fall behind"),
    "max-regression": (
        "LIMITS",
        "",
        "How far it may fall behind, by registry column, such as event_f1:0.02,event_fp_per_day:2",
    ),
    "report": ("FILE", "", "Write a report page (HTML) at the end of the run"),
    "summary": ("FILE", "", "Append a short summary (Markdown) at the end of the run"),
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

ANYWAY = "compare-anyway"
ANYWAY_HELP = "Compare with --robustseiz-compare though scope, corpus, seed or settings differ"


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
    adapter : str
        "module:factory", a name, or empty.
    device : str
        As given.
    """

    mode: Mode
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
    adapter: str
    device: str

    @property
    def agreement_is_on(self) -> bool:
        """Whether the agreement stage is to run."""
        return self.mcd == "on" or (self.mcd == "auto" and self.mode == "subset")


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini key."""
    group = parser.getgroup("robustseiz", "robustness of an EEG seizure detector")
    for name, (metavar, _default, text) in OPTIONS.items():
        variable = f" [${ENVIRONMENT[name]}]" if name in ENVIRONMENT else ""
        group.addoption(f"--robustseiz-{name}", metavar=metavar, default=None, help=text + variable)
        parser.addini(_ini_key(name), help=text, default="")
    group.addoption(f"--robustseiz-{ANYWAY}", action="store_true", default=False, help=ANYWAY_HELP)
    parser.addini(_ini_key(ANYWAY), help=ANYWAY_HELP, type="bool", default=False)


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
        grid=_grid(config),
        registry=_path(config, "registry"),
        output=_path(config, "output"),
        store=_path(config, "store") if store else _cache_folder(config),
        seed=_whole_number(config, "seed", least=0),
        mcd=_mcd(config),
        passes=_passes(config),
        tau=_tau(config),
        gate=_gate(config),
        compare=_optional_path(config, "compare"),
        max_regression=_value(config, "max-regression"),
        compare_anyway=bool(config.getoption(f"--robustseiz-{ANYWAY}") or config.getini(_ini_key(ANYWAY))),
        report=_optional_path(config, "report"),
        summary=_optional_path(config, "summary"),
        adapter=_value(config, "adapter"),
        device=_value(config, "device"),
    )


def _ini_key(name: str) -> str:
    return f"robustseiz_{name.replace('-', '_')}"


def _value(config: pytest.Config, name: str) -> str:
    for given in (
        config.getoption(f"--robustseiz-{name}"),
        os.environ.get(ENVIRONMENT.get(name, "")),
        config.getini(_ini_key(name)),
    ):
        if given is not None and given != "":
            return str(given)
    return OPTIONS[name][1]


def _path(config: pytest.Config, name: str) -> Path:
    # Relative to where pytest was started, as pytest treats its own report paths; ini values to the root.
    value = Path(_value(config, name)).expanduser()
    given_here = config.getoption(f"--robustseiz-{name}") or os.environ.get(ENVIRONMENT[name])
    return (config.invocation_params.dir if given_here else config.rootpath) / value


def _optional_path(config: pytest.Config, name: str) -> Path | None:
    return _path(config, name) if _value(config, name) else None


def _data(config: pytest.Config) -> str:
    value = _value(config, "data")
    if not value:
        raise pytest.UsageError(
            "--robustseiz-data: no corpus given; name a BIDS-EEG folder (sub-*/[ses-*/]eeg/*_eeg.edf), or 'demo'"
        )
    return value if value == "demo" else str(_path(config, "data"))


def _grid(config: pytest.Config) -> str:
    value = _value(config, "grid")
    return str(_path(config, "grid")) if value.endswith(".toml") else value


def _mcd(config: pytest.Config) -> Mcd:
    value = _value(config, "mcd")
    for known in get_args(Mcd):
        if value == known:
            return known  # type: ignore[no-any-return]
    raise pytest.UsageError(f"--robustseiz-mcd: expected 'auto', 'on' or 'off', got {value!r}")


def _gate(config: pytest.Config) -> Gate:
    value = _value(config, "gate")
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
    value = _value(config, "mcd-threshold")
    try:
        tau = float(value)
    except ValueError:
        tau = math.nan
    if not 0 <= tau <= 1:
        raise pytest.UsageError(f"--robustseiz-mcd-threshold: expected a probability from 0 to 1, got {value!r}")
    return tau


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
