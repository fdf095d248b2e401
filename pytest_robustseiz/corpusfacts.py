"""What a corpus says of itself: its name, its version, and the split that its subjects belong to."""

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_robustseiz.corpus import CorpusError

DESCRIPTION = "dataset_description.json"
PARTICIPANTS = "participants.tsv"
_UNKNOWN = "n/a"


@dataclass(frozen=True)
class CorpusFacts:
    """What a corpus says of itself; empty where it does not say.

    Attributes
    ----------
    name, version : str
        `Name` and `DatasetVersion` of dataset_description.json.
    split : str
        Splits of the subjects of a scope, in order and joined by "+", from the column `split` of participants.tsv;
        "n/a" stands among them for subjects of which only others' split is given.
    """

    name: str = ""
    version: str = ""
    split: str = ""

    def __str__(self) -> str:
        """For people; empty where nothing is said."""
        version = f"version {self.version}" if self.version else ""
        split = f"split {self.split}" if self.split else ""
        return ", ".join(part for part in (self.name, version, split) if part)


def read_corpus_facts(root: Path, subjects: Iterable[str]) -> CorpusFacts:
    """Read name, version and split of a corpus.

    Parameters
    ----------
    root : Path
        The folder that holds the `sub-*` folders.
    subjects : iterable of str
        Folder names of the scope.

    Raises
    ------
    CorpusError
        When dataset_description.json or participants.tsv is there and cannot be read as what it is.
    """
    description = _description(root / DESCRIPTION)
    return CorpusFacts(
        name=_text(root, description, "Name"),
        version=_text(root, description, "DatasetVersion"),
        split=_split(_splits(root / PARTICIPANTS), subjects),
    )


def _description(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path}: cannot be read as JSON ({error}); correct or remove it") from error
    if not isinstance(content, dict):
        raise CorpusError(f"{path}: expected a JSON object, got {type(content).__name__}; correct or remove it")
    return content


def _text(root: Path, description: dict[str, Any], key: str) -> str:
    value = description.get(key, "")
    if not isinstance(value, str):
        raise CorpusError(f"{root / DESCRIPTION}: {key} must be text, got {value!r}; put it in quotation marks")
    return " ".join(value.split())


def _splits(path: Path) -> dict[str, str]:
    """Split of each participant; empty where the table has no such column."""
    if not path.exists():
        return {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, delimiter="\t")
            columns = [name.strip() for name in table.fieldnames or ()]
            if "split" not in columns:
                return {}
            if "participant_id" not in columns:
                raise CorpusError(f"{path}: has a column split but no participant_id; it has {', '.join(columns)}")
            rows = [{str(key).strip(): str(value or "").strip() for key, value in row.items()} for row in table]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CorpusError(f"{path}: cannot be read as a table ({error}); correct or remove it") from error
    return {row["participant_id"]: row["split"] for row in rows if row["split"] not in ("", _UNKNOWN)}


def _split(splits: dict[str, str], subjects: Iterable[str]) -> str:
    found = {splits.get(name) or splits.get(name.removeprefix("sub-")) or _UNKNOWN for name in subjects}
    return "" if found <= {_UNKNOWN} else "+".join(sorted(found))
