"""Which recordings of a corpus on disk are to be converted, from names alone."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from pytest_robustseiz.convert_plan import Choices, ConvertError, Corpus, LeftOut, Plan, Source, counted


def make_plan(corpus: Corpus, root: Path, *, split: str, subjects: Collection[str], choices: Choices) -> Plan:
    """List the recordings of a corpus; no EDF file is opened.

    Parameters
    ----------
    corpus : Corpus
        Which corpus it is.
    root : Path
        The folder with its subjects, or for TUSZ its splits.
    split : str
        The split that is wanted; "" for a corpus without splits.
    subjects : collection of str
        Names of the corpus ("chb01") or of the BIDS tree ("sub-01"); empty for all.
    choices : Choices
        What the user chose.

    Raises
    ------
    ConvertError
        When no file is named like a recording of this corpus, or a wanted subject has none.
    """
    sources: list[Source] = []
    left_out: list[LeftOut] = []
    for name in edf_names(root):
        place = corpus.locate(name, choices)
        if place:
            sources.append(Source(root, name, place))
        else:
            left_out.append(LeftOut(name, "not named like a recording of this corpus", f"name it {corpus.pattern}"))
    if not sources:
        raise ConvertError(f"{root}: no recording of {corpus.name}", f"looked for {corpus.pattern} below it")
    wanted, unwanted = _choose(sources, split, subjects)
    kept, problems = _check(wanted)
    return Plan(tuple(kept), (*left_out, *problems, *_absent(corpus, kept), *unwanted))


def edf_names(root: Path) -> list[str]:
    """Names of all EDF files below a folder, relative to it, with forward slashes, sorted; hidden ones left out."""
    found: list[str] = []
    for folder, folders, files in os.walk(root, onerror=_refuse, followlinks=True):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = Path(folder).relative_to(root).as_posix()
        prefix = "" if inside == "." else f"{inside}/"
        found += [f"{prefix}{name}" for name in files if name.lower().endswith(".edf") and not name.startswith(".")]
    return sorted(found)


def _refuse(error: OSError) -> None:
    raise ConvertError(f"{error.filename}: {error.strerror or error}", "make the folder readable")


def _choose(sources: Iterable[Source], split: str, subjects: Collection[str]) -> tuple[list[Source], list[LeftOut]]:
    """Those that the options ask for, and what they leave out, counted."""
    wanted, others = [], Counter[str]()
    for source in sources:
        if source.place.split != split:
            others[source.place.split] += 1
        else:
            wanted.append(source)
    left_out = [
        LeftOut(
            f"{counted(n, 'file')} of split {name}", "split not asked for", f"--split {name} TARGET", is_error=False
        )
        for name, n in sorted(others.items())
    ]
    if not wanted:
        raise ConvertError(f"no recording of split {split}", f"there are splits {', '.join(sorted(others))}")
    if not subjects:
        return wanted, left_out
    names = {name for source in wanted for name in (source.place.subject, source.participant)}
    unknown = sorted(set(subjects) - names)
    if unknown:
        known = sorted({source.place.subject for source in wanted})
        raise ConvertError(f"--subjects: no recording of {', '.join(unknown)}", f"there are {', '.join(known)}")
    chosen = [source for source in wanted if {source.place.subject, source.participant} & set(subjects)]
    if len(chosen) < len(wanted):
        rest = f"{counted(len(wanted) - len(chosen), 'file')} of other subjects"
        left_out.append(LeftOut(rest, "subject not asked for", "leave --subjects out", is_error=False))
    return chosen, left_out


def _check(sources: Iterable[Source]) -> tuple[list[Source], list[LeftOut]]:
    """Leave out those of which two would have one name, and those without a list."""
    by_target: dict[str, list[Source]] = {}
    for source in sources:
        by_target.setdefault(source.place.target, []).append(source)
    kept: list[Source] = []
    problems: list[LeftOut] = []
    for same in by_target.values():
        if len(same) > 1:
            names = " and ".join(source.name for source in same)
            reason = f"{names} are one recording by their names"
            problems += [LeftOut(source.name, reason, "keep one of them") for source in same]
        elif missing := list(_missing(same[0])):
            problems.append(
                LeftOut(
                    same[0].name, f"its annotations {', '.join(missing)} are not there", "copy them from the source"
                )
            )
        else:
            kept.append(same[0])
    return kept, problems


def _absent(corpus: Corpus, sources: Iterable[Source]) -> Iterator[LeftOut]:
    """What lists name and the folder beside them lacks: an interrupted download looks whole else."""
    for path in dict.fromkeys(path for source in sources for path in source.lists):
        try:
            listed = corpus.listed(path)
        except ConvertError:
            continue  # a list that cannot be read is an error of each of its recordings
        for name, seizures in listed.items():
            if not path.with_name(name).is_file():
                reason = f"{path.name} names it, with {counted(seizures, 'seizure')}, and it is not there"
                yield LeftOut(f"{path.parent.name}/{name}", reason, "copy it from the source", is_error=False)


def _missing(source: Source) -> Iterator[str]:
    return (name for name, path in zip(source.place.lists, source.lists, strict=True) if not path.is_file())
