"""What is wrong with a submission: its schema, and figures that contradict each other."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pytest_robustseiz.prediction_tally import Tally, sum_problems
from pytest_robustseiz.protocols import PROTOCOLS, Protocol
from pytest_robustseiz.submission_fields import Block, block_problems, differences, tally_of
from pytest_robustseiz.submission_file import RANGES
from pytest_robustseiz.submission_patients import across_patients, lacking, lacking_text

EXTRA = "submissions are checked with jsonschema: pip install 'pytest-robustseiz[submission]'"


@cache
def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of submissions."""
    text = resources.files("pytest_robustseiz").joinpath("submission.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def file_problems(path: Path) -> list[str]:
    """Check a file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of str
        One line per problem.

    Raises
    ------
    ImportError
        When jsonschema is not installed; the message names the extra.
    """
    try:
        document = json.loads(
            path.read_text(encoding="utf-8-sig"), parse_constant=_no_constant, object_pairs_hook=_no_repeats
        )
    except OSError as error:
        return [f"{path}: {error.strerror or error}"]
    except ValueError as error:  # of the encoding, of JSON, and the two below
        return [f"{path}: not a JSON file: {error}"]
    return [f"{path}: {problem}" for problem in submission_problems(document)]


def submission_problems(document: Any) -> list[str]:
    """Check a submission that was read from a file, or that is to be written.

    Parameters
    ----------
    document : object
        What JSON made of the file.

    Returns
    -------
    list of str
        One line per problem: those of the schema, or, without any, figures that do not follow from the file's own
        counts to 1e-9, patients that do not add up to the whole, ranges upside down, and missing patients of which the
        notes do not speak.

    Raises
    ------
    ImportError
        When jsonschema is not installed; the message names the extra.
    """
    return _schema_problems(document) or list(_contradictions(document))


def _schema_problems(document: Any) -> list[str]:
    try:
        from jsonschema import Draft202012Validator
    except ImportError as error:
        raise ImportError(EXTRA) from error
    return sorted({_schema_line(error) for error in Draft202012Validator(schema()).iter_errors(document)})


def _schema_line(error: Any, *, most: int = 160) -> str:
    """Where and what; jsonschema's messages hold the whole instance, however long."""
    where = ".".join(map(str, error.absolute_path)) or "the file"
    text = "is not for this protocol" if error.validator == "not" else error.message
    return f"{where}: {text if len(text) <= most else f'{text[: most // 2]} ... {text[-most // 2 :]}'}"


def _contradictions(document: Block) -> Iterator[str]:
    yield from block_problems(document)
    patients = document.get("per_patient", {})
    tallies: dict[str, Tally] = {}
    for name, block in patients.items():
        if "confusion_matrix" in block:
            yield from (f"per_patient.{name}: {problem}" for problem in block_problems(block))
            tallies[name] = tally_of(block)
    if patients and len(tallies) == len(patients):
        yield from (f"per_patient: {problem}" for problem in sum_problems(tally_of(document), list(tallies.values())))
    protocol = next(one for one in PROTOCOLS.values() if one.name == document["protocol"])
    if "across_patients" in document:
        yield from differences(document["across_patients"], across_patients(tallies, protocol), "across_patients")
    yield from _ranges(document.get("robustness", {}))
    if "identity" in document:
        yield from _partial(document, protocol)


def _ranges(robustness: Mapping[str, Any]) -> Iterator[str]:
    for family, block in robustness.items():
        for name in RANGES:
            least, largest, where = block[name]["min"], block[name]["max"], f"robustness.{family}.{name}"
            if least > largest:
                yield f"{where}: min is {least}, above max {largest}"
            if block["settings"] == 1 and least != largest:
                yield f"{where}: min is {least} and max {largest}, of 1 setting"


def _partial(document: Block, protocol: Protocol) -> Iterator[str]:
    names = lacking(protocol, document["per_patient"])
    if names and "partial" not in document.get("notes", "").lower():
        yield f"per_patient lacks {lacking_text(protocol, names)}; notes must say that the file is partial"


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON; 0/0 is written as 0.0")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} stands twice in one object")
    return dict(pairs)
