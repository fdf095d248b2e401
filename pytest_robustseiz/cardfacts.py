"""What the author of a detector says of it, for the model card and the checklist: facts that no run can know."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Section and name of each fact, and how the documents call it.
FACTS: dict[str, dict[str, str]] = {
    "contact": {"name": "Name", "email": "E-mail", "url": "Web page"},
    "model": {
        "description": "Description",
        "architecture": "Architecture",
        "version": "Version",
        "licence": "Licence",
        "weights": "Where the weights are",
        "training_data": "Trained on",
        "preprocessing": "Preprocessing",
        "threshold": "Decision threshold",
        "postprocessing": "From probabilities to events",
        "intended_use": "Intended use",
        "limitations": "Limitations",
    },
    "data": {
        "name": "Corpus",
        "version": "Version of the corpus",
        "split": "Split",
        "subject_disjoint": "Subjects disjoint from those of training",
        "read_only": "Mounted read-only",
    },
    "shifts": {"in_memory": "Applied in memory, without shifted copies on disk"},
    "environment": {"image": "Container image", "hardware": "Hardware"},
    "registry": {"submitted_whole": "Registry submitted whole, with no row left out"},
    "submission": {
        "model_description": "Description of the model",
        "model_params": "Number of parameters",
        "training_time_hours": "Hours of training",
        "hardware": "Hardware of the training",
        "preprocessing": "Preprocessing",
        "post_processing": "What is done to the classes after the model",
        "notes": "Notes",
    },
}
Facts = Mapping[str, Mapping[str, object]]
TABLE = "tool.robustseiz.card"


class FactsError(ValueError):
    """A file of facts cannot be used; the message names the file and every wrong entry."""


def read_facts(path: Path) -> dict[str, dict[str, object]]:
    """Read facts from a TOML file with the sections and names of `FACTS`.

    ::

        [contact]
        email = "eeg@hospital.example"

        [model]
        threshold = 0.8

    Parameters
    ----------
    path : Path
        The file; in one called pyproject.toml the sections stand below `[tool.robustseiz.card]`.

    Returns
    -------
    dict of str to dict of str to object
        Values as given: text, numbers, true or false, dates.

    Raises
    ------
    FactsError
        When the file cannot be read, or listing each entry that no document has a place for.
    """
    try:
        document: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FactsError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FactsError(f"{path}: not a TOML file: {error}") from error
    if path.name == "pyproject.toml":
        document = document.get("tool", {}).get("robustseiz", {}).get("card", {})
    problems = _problems(document)
    if problems:
        raise FactsError("\n".join(f"{path}: {problem}" for problem in problems))
    return document


def project_facts(folder: Path) -> dict[str, dict[str, object]]:
    """Facts of the pyproject.toml of a folder; none where there is no such file or table.

    Raises
    ------
    FactsError
        As `read_facts`.
    """
    path = folder / "pyproject.toml"
    return read_facts(path) if path.is_file() else {}


def fact(facts: Facts, section: str, name: str) -> str | None:
    """One fact as text; None where nobody gave it."""
    value = facts.get(section, {}).get(name)
    if value is None or value == "":
        return None
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _problems(document: Mapping[str, Any]) -> list[str]:
    problems = []
    for section, entries in document.items():
        if section not in FACTS:
            problems.append(f"unknown section [{section}]; there are {', '.join(FACTS)}")
        elif not isinstance(entries, dict):
            problems.append(f"{section}: expected a section [{section}] with {', '.join(FACTS[section])}")
        else:
            problems += _entry_problems(section, entries)
    return problems


def _entry_problems(section: str, entries: Mapping[str, Any]) -> list[str]:
    problems = []
    for name, value in entries.items():
        if name not in FACTS[section]:
            problems.append(f"unknown {section}.{name}; there are {', '.join(FACTS[section])}")
        elif isinstance(value, list | dict):
            problems.append(f"{section}.{name}: expected text, a number, true, false or a date, got {value!r}")
    return problems
