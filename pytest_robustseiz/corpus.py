"""Which recordings a corpus holds, from names alone.

No EEG file is opened here and nothing heavy is imported, so that test collection stays fast on large corpora.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EEG_EXTENSIONS = (".bdf", ".edf", ".set", ".vhdr")
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
        table or an events table no EEG file, or two EEG files share one stem. All offenders are listed.
    """
    if not root.is_dir():
        raise CorpusError(f"{root}: no such folder; a corpus is a folder with {PATTERN}")
    names = _folders(root, "sub-")
    if not names:
        raise CorpusError(f"{root}: no folder named sub-*; looked for {PATTERN}")
    problems: list[str] = []
    subjects = tuple(Subject(name, tuple(_recordings(root, name, problems))) for name in names)
    problems += [
        f"{s.name}: no *_eeg file with extension {', '.join(EEG_EXTENSIONS)}" for s in subjects if not s.recordings
    ]
    if problems:
        raise CorpusError(f"{root}: looked for {PATTERN}, found:\n" + "\n".join(f"  {line}" for line in problems))
    return subjects


def _folders(parent: Path, prefix: str) -> list[str]:
    with os.scandir(parent) as entries:
        return sorted(entry.name for entry in entries if entry.name.startswith(prefix) and entry.is_dir())


def _recordings(root: Path, subject: str, problems: list[str]) -> Iterator[RecordingFiles]:
    sessions = [f"{subject}/{name}/eeg" for name in _folders(root / subject, "ses-")]
    for folder in (f"{subject}/eeg", *sessions):
        try:
            names = sorted(name for name in os.listdir(root / folder) if not name.startswith("."))  # noqa: PTH208
        except (FileNotFoundError, NotADirectoryError):
            continue  # a session, or a subject with sessions, need not have this folder
        yield from _pairs(root, subject, folder, names, problems)


def _pairs(root: Path, subject: str, folder: str, names: list[str], problems: list[str]) -> Iterator[RecordingFiles]:
    tables = {name for name in names if name.endswith("_events.tsv")}
    eeg: dict[str, list[str]] = {}
    for name in names:
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
