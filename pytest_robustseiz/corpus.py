"""Which recordings a corpus holds, from names alone.

No EEG file is opened here and nothing heavy is imported, so that test collection stays fast on large corpora.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EEG_EXTENSIONS = (".bdf", ".edf", ".set", ".vhdr")
COMPANIONS = (".json", ".eeg", ".vmrk", ".fdt")  # files that stand beside an EEG file under its name
PATTERN = "sub-*/[ses-*/]eeg/*_eeg.{edf,bdf,vhdr,set} beside *_events.tsv of the same stem"


class CorpusError(ValueError):
    """A corpus cannot be used as it is; the message lists every offending file or folder."""


@dataclass(frozen=True)
class RecordingFiles:
    """The two files of one recording.

    Attributes
    ----------
    subject : str
        Name of the subject's folder, such as "sub-01".
    stem : str
        File name without `_eeg` and extension, so that `f"{stem}_events.tsv"` is the events table.
    folder : str
        Folder of both files relative to the corpus, with forward slashes, such as "sub-01/ses-01/eeg".
    eeg, events : Path
        The EEG file and its events table.
    """

    subject: str
    stem: str
    folder: str
    eeg: Path
    events: Path


@dataclass(frozen=True)
class Subject:
    """One `sub-*` folder with the recordings of all its sessions."""

    name: str
    recordings: tuple[RecordingFiles, ...]


def discover(root: Path) -> tuple[Subject, ...]:
    """List the subjects of a BIDS-EEG corpus, by names only.

    Parameters
    ----------
    root : Path
        The folder that holds the `sub-*` folders.

    Returns
    -------
    tuple of Subject
        In lexicographic order of folder name (by code point, so the same on every file system); each with its
        recordings in order of folder and stem. Hidden files, such as the `._*` copies of macOS, are no recordings.

    Raises
    ------
    CorpusError
        When the folder does not exist or holds no `sub-*` folder, a subject has no recording, an EEG file has no events
        table or an events table no EEG file, two EEG files share one stem, a file `*_eeg.*` is of another kind, or a
        name would be right in lower case. All offenders are listed.
    """
    if not root.is_dir():
        raise CorpusError(f"{root}: no such folder; a corpus is a folder with {PATTERN}")
    problems: list[str] = []
    names = _prefixed(root, "", "sub-", problems)
    if not names and not problems:
        raise CorpusError(f"{root}: no folder named sub-*; looked for {PATTERN}")
    subjects = tuple(Subject(name, tuple(_recordings(root, name, problems))) for name in names)
    problems += [
        f"{s.name}: no *_eeg file with extension {', '.join(EEG_EXTENSIONS)}" for s in subjects if not s.recordings
    ]
    if problems:
        raise CorpusError(f"{root}: looked for {PATTERN}, found:\n" + "\n".join(f"  {line}" for line in problems))
    return subjects


def _folders(parent: Path) -> list[str]:
    with os.scandir(parent) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))


def _prefixed(parent: Path, shown: str, prefix: str, problems: list[str]) -> list[str]:
    """Folders with this prefix; in another case it is a problem, since only some file systems tell them apart."""
    names = _folders(parent)
    odd = [name for name in names if name.lower().startswith(prefix) and not name.startswith(prefix)]
    problems += [f"{shown}{name}: write {prefix} in lower case" for name in odd]
    return [name for name in names if name.startswith(prefix)]


def _recordings(root: Path, subject: str, problems: list[str]) -> Iterator[RecordingFiles]:
    sessions = _prefixed(root / subject, f"{subject}/", "ses-", problems)
    for parent in (subject, *(f"{subject}/{name}" for name in sessions)):
        found = [name for name in _folders(root / parent) if name.lower() == "eeg"]
        problems += [f"{parent}/{name}: name the folder eeg" for name in found if name != "eeg"]
        if "eeg" in found:  # a session, or a subject with sessions, need not have this folder
            folder = f"{parent}/eeg"
            names = sorted(name for name in os.listdir(root / folder) if not name.startswith("."))  # noqa: PTH208
            yield from _pairs(root, subject, folder, names, problems)


def _pairs(root: Path, subject: str, folder: str, names: list[str], problems: list[str]) -> Iterator[RecordingFiles]:
    tables = {name for name in names if name.endswith("_events.tsv")}
    eeg: dict[str, list[str]] = {}
    for name in names:
        if problem := _problem(name):
            problems.append(f"{folder}/{name}: {problem}")
        base, extension = os.path.splitext(name)  # noqa: PTH122
        if base.endswith("_eeg") and extension.lower() in EEG_EXTENSIONS:
            eeg.setdefault(base.removesuffix("_eeg"), []).append(name)
    for stem, found in sorted(eeg.items()):
        table = f"{stem}_events.tsv"
        if len(found) > 1:
            problems.append(f"{folder}: {' and '.join(found)} share one stem; keep one of them")
        if table not in tables:
            problems.append(f"{folder}/{found[0]}: no {table} beside it")
        tables.discard(table)
        yield RecordingFiles(subject, stem, folder, root / folder / found[0], root / folder / table)
    problems += [f"{folder}/{table}: an events table without its EEG file" for table in sorted(tables)]


def _problem(name: str) -> str:
    """Why a file that is named as an EEG file would be passed over, "" where it would not."""
    _, mark, extension = name.lower().rpartition("_eeg.")
    if not mark or f".{extension}" in COMPANIONS:
        return ""
    if f".{extension}" not in EEG_EXTENSIONS:
        return f"an EEG file of a kind that cannot be read; convert it to {', '.join(EEG_EXTENSIONS)}"
    return "" if "_eeg." in name else "write _eeg in lower case"
