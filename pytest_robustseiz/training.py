"""Subjects that a detector was trained on: none of them may be evaluated."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

COLUMN = "participant_id"
FIXTURE = "robustseiz_training_subjects"
OPTION = "--robustseiz-training-subjects"
_NAME = re.compile(r"[^\s,;:/\\#]+")


class TrainingError(ValueError):
    """The training subjects cannot be used, or some of them are in the scope; the message says what to do."""


def read_training_subjects(path: Path) -> tuple[str, ...]:
    """Read training subjects from a file.

    Parameters
    ----------
    path : Path
        One name per line, such as sub-01 or 01, where `#` begins a comment; or a table with tabs, such as
        participants.tsv, whose names are in the column participant_id.

    Returns
    -------
    tuple of str
        As folder names ("sub-01"), sorted, each once.

    Raises
    ------
    TrainingError
        When the file cannot be read, holds no name, or a line is not one; all such lines are listed.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise TrainingError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path}: not UTF-8 text ({error}); name a list of subjects") from error
    found = list(_numbered_names(path, lines))
    wrong = [f"{path}:{number}: {text!r}" for number, text in found if not _NAME.fullmatch(text)]
    if wrong:
        raise TrainingError("expected the name of one subject per line, such as sub-01, got\n  " + "\n  ".join(wrong))
    if not found:
        raise TrainingError(f"{path}: holds no name; list one subject per line, or do not give the file")
    return _folder_names(text for _, text in found)


def _numbered_names(path: Path, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number and content of each line that should name a subject."""
    bare = [(number, line.partition("#")[0].strip(" ")) for number, line in enumerate(lines, start=1)]
    bare = [(number, text) for number, text in bare if text.strip()]
    if not bare or ("\t" not in bare[0][1] and bare[0][1] != COLUMN):
        yield from bare
        return
    rows = csv.DictReader((text for _, text in bare), delimiter="\t")
    if COLUMN not in (rows.fieldnames or ()):
        raise TrainingError(f"{path}: a table with tabs but without the column {COLUMN}; it has {rows.fieldnames}")
    for (number, _), row in zip(bare[1:], rows, strict=True):
        yield number, (row[COLUMN] or "").strip()


def check_training_subjects(value: object) -> tuple[str, ...]:
    """Check what the fixture `robustseiz_training_subjects` returned.

    Returns
    -------
    tuple of str
        As `read_training_subjects`; may be empty.

    Raises
    ------
    TrainingError
        When it is not a collection of names. An iterator is none: it would be empty when the second test looks.
    """
    expected = f"fixture {FIXTURE}: expected a list of names such as ['sub-01', 'sub-02'], got"
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection):
        raise TrainingError(f"{expected} {value!r}")
    wrong = [name for name in value if not isinstance(name, str) or not _NAME.fullmatch(name)]
    if wrong:
        raise TrainingError(f"{expected} {', '.join(map(repr, wrong))} in it")
    return _folder_names(value)


def _folder_names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({name if name.startswith("sub-") else f"sub-{name}" for name in names}))


def require_disjoint(training: Sequence[str], scope: Collection[str], *, source: str, most: int = 20) -> None:
    """Check that no subject is both in the training and in the scope.

    Parameters
    ----------
    training : sequence of str
        Folder names.
    scope : collection of str
        Folder names of the subjects that are to be evaluated.
    source : str
        Where the training subjects were given, for the message.
    most : int
        How many names to list.

    Raises
    ------
    TrainingError
        Naming those that are in both.
    """
    both = sorted(set(training) & set(scope))
    if both:
        more = f" and {len(both) - most} more" if len(both) > most else ""
        raise TrainingError(
            f"{source}: {len(both)} of {len(training)} training subjects would be evaluated: {', '.join(both[:most])}"
            f"{more}; scores on them say nothing about others: evaluate a corpus without them, or, where those of the "
            "training are subjects of another corpus, take them off the list"
        )


def training_line(training: Sequence[str], scope: Collection[str], corpus: Collection[str]) -> str:
    """What the summary says of training subjects that are not in the scope.

    Parameters
    ----------
    training : sequence of str
        Folder names.
    scope, corpus : collection of str
        Folder names of the subjects that were evaluated, and of all.
    """
    elsewhere = len(set(training) & set(corpus))
    others = f"{elsewhere} of them in this corpus" if elsewhere else "and none in this corpus: check how they are spelt"
    plain = {_plain(name): name for name in scope}
    alike = [f"{name} (like {plain[_plain(name)]})" for name in training if _plain(name) in plain]
    doubt = f"; spelt nearly as one in the scope: {', '.join(alike)}" if alike else ""
    return f"training subjects: {len(training)} given, none in the scope, {others}{doubt}"


def _plain(name: str) -> str:
    """A name without what spellings of one subject differ in: case, leading zeros, hyphens and underscores."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"[-_]", "", name.casefold()))
