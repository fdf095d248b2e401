"""Options, their ini keys and environment variables, and which of them gives a value."""

import os
from pathlib import Path

import pytest

ENVIRONMENT = {
    "data": "ROBUSTSEIZ_DATA",
    "grid": "ROBUSTSEIZ_GRID",
    "registry": "ROBUSTSEIZ_REGISTRY",
    "output": "ROBUSTSEIZ_OUTPUT",
    "store": "ROBUSTSEIZ_STORE",
    "compare": "ROBUSTSEIZ_COMPARE",
    "report": "ROBUSTSEIZ_REPORT",
    "summary": "GITHUB_STEP_SUMMARY",  # GitHub sets it for each step of a job
    "training-subjects": "ROBUSTSEIZ_TRAINING_SUBJECTS",
    "adapter": "ROBUSTSEIZ_ADAPTER",  # so that a container can be told its detector when it starts
}

# name: (metavariable, default, help); the ini key is robustseiz_<name>, with underscores for hyphens
OPTIONS: dict[str, tuple[str, str, str]] = {
    "mode": (
        "MODE",
        "",
        "What to evaluate: 'subset' (the first subjects) or 'full' (all); without it robustness tests are skipped",
    ),
    "task": ("TASK", "detection", "What is asked of the model: 'detection' or 'prediction' (default: detection)"),
    "protocol": (
        "N",
        "",
        "Prediction: protocol of SzPredict, 1 (patient-specific), 2 (leave one patient out), 3 (fixed split) or 4 "
        "(transition timing); without it all subjects are tested with the model that is given",
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
    "registry": (
        "FILE",
        "",
        "Where rows are appended (default: experiments_results.csv; for prediction prediction_results.csv)",
    ),
    "output": (
        "FOLDER",
        "",
        "Where answers and scores are written (default: Results; for prediction Results-prediction)",
    ),
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
    "training-subjects": (
        "FILE",
        "",
        "Subjects that the detector was trained on, a name per line or a table with a column participant_id: "
        "none of them may be evaluated; beside the fixture robustseiz_training_subjects",
    ),
    "adapter": (
        "MODULE:FACTORY",
        "",
        "Model to test: a callable that takes device=... and returns an adapter, 'demo', a name that a package offers, "
        "command:PROGRAM or szcore:IMAGE; where no fixture robustseiz_adapter is defined",
    ),
    "device": (
        "DEVICE",
        "cpu",
        "What robustseiz_device returns: cpu, cuda (each worker gets the next GPU) or cuda:N (default: cpu)",
    ),
}

ANYWAY = "compare-anyway"
ANYWAY_HELP = "Compare with --robustseiz-compare though scope, corpus, seed or settings differ"


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini key."""
    group = parser.getgroup("robustseiz", "robustness of an EEG seizure detector")
    for name, (metavar, _default, text) in OPTIONS.items():
        variable = f" [${ENVIRONMENT[name]}]" if name in ENVIRONMENT else ""
        group.addoption(f"--robustseiz-{name}", metavar=metavar, default=None, help=text + variable)
        parser.addini(ini_key(name), help=text, default="")
    group.addoption(f"--robustseiz-{ANYWAY}", action="store_true", default=False, help=ANYWAY_HELP)
    parser.addini(ini_key(ANYWAY), help=ANYWAY_HELP, type="bool", default=False)


def ini_key(name: str) -> str:
    """Ini key of an option."""
    return f"robustseiz_{name.replace('-', '_')}"


def given(config: pytest.Config, name: str) -> str:
    """Value of an option: from the command line, else the environment, else the ini file, else its default."""
    for value in (
        config.getoption(f"--robustseiz-{name}"),
        os.environ.get(ENVIRONMENT.get(name, "")),
        config.getini(ini_key(name)),
    ):
        if value is not None and value != "":
            return str(value)
    return OPTIONS[name][1]


def given_path(config: pytest.Config, name: str, default: str = "") -> Path:
    """Value of an option that takes a path, or a default that follows from other options.

    It is relative to where pytest was started, as pytest treats its own report paths; from an ini file to the root.
    """
    value = Path(given(config, name) or default).expanduser()
    given_here = config.getoption(f"--robustseiz-{name}") or os.environ.get(ENVIRONMENT[name])
    return (config.invocation_params.dir if given_here else config.rootpath) / value


def optional_path(config: pytest.Config, name: str) -> Path | None:
    """The same, None where nothing is given."""
    return given_path(config, name) if given(config, name) else None
