"""CHB-MIT (https://physionet.org/content/chbmit/): names, summaries, subjects.

What its files are like was taken from the corpus' own description, and from public audits of all 686 of them: the
summary of chb24 leaves out ten files; RECORDS-WITH-SEIZURES names chb07_18 instead of chb07_19; chb12_27 to chb12_29
hold electrodes instead of pairs, and in chb12_28 and chb12_29 O1 is typed as 01.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_robustseiz.convert_lists import lines_of, listed_event, sex_of
from pytest_robustseiz.convert_plan import Choices, ConvertError, Place, Reading, Source, Span
from pytest_robustseiz.events import Event
from pytest_robustseiz.montage import Montage

INDEX = "RECORDS-WITH-SEIZURES"
_NAME = re.compile(r"(chb(\d\d))/\1([a-z]?)_(\d\d)(\+?)\.edf")
_FILE = re.compile(r"file\s*name\s*:\s*(.*)", re.IGNORECASE)
_COUNT = re.compile(r"number\s+of\s+seizures\s+in\s+file\s*:\s*(\d+)", re.IGNORECASE)
_TIME = re.compile(r"seizure\s*\d*\s*(start|end)\s*time\s*:\s*(\d+(?:\.\d+)?)\s*(?:seconds?)?", re.IGNORECASE)


class ChbMit:
    """CHB-MIT as it is on PhysioNet."""

    name = "CHB-MIT"
    montage: Montage = "bipolar"
    pattern = "chb01/chb01_03.edf beside chb01/chb01-summary.txt"
    templates = "chbmit"
    labels: Mapping[str, str] = {"01": "O1"}

    def locate(self, name: str, choices: Choices) -> Place | None:
        """`chb17/chb17a_03.edf` becomes sub-17, session 01, acquisition a, run 03.

        chb21 is chb01 a year and a half later.
        """
        found = _NAME.fullmatch(name)
        if not found:
            return None
        case, number, letter, run, plus = found.groups()
        subject, session = ("01", "02") if number == "21" else (number, "01")
        acquisition = f"_acq-{letter}{'plus' if plus else ''}" if letter or plus else ""
        stem = f"sub-{subject}_ses-{session}_task-szMonitoring{acquisition}_run-{run}"
        return Place(case, f"sub-{subject}/ses-{session}/eeg/{stem}", (f"{case}/{case}-summary.txt",))

    def read(self, source: Source, span: Span, choices: Choices) -> Reading:
        """Read the seizures of one recording from its summary.

        A file that the summary does not name has no seizures only if the corpus' index of files with seizures is there
        and does not name it either.
        """
        summary = source.lists[0]
        blocks = [block for name, block in _blocks(lines_of(summary)) if name == source.edf.name]
        if len(blocks) > 1:
            raise ConvertError(f"{summary.name} has {len(blocks)} entries for {source.edf.name}", "keep the right one")
        seizures = _seizures(blocks[0], summary, span) if blocks else []
        if not seizures and source.edf.with_name(f"{source.edf.name}.seizures").exists():
            raise ConvertError(
                f"{summary.name} states no seizure, but there is {source.edf.name}.seizures", "find out which is right"
            )
        return Reading(tuple(seizures), () if blocks else (_index_note(source, summary),))

    def listed(self, path: Path) -> dict[str, int]:
        """Files that a summary names."""
        counts = {name: [_COUNT.fullmatch(line) for _, line in block] for name, block in _blocks(lines_of(path))}
        return {name: sum(int(one[1]) for one in found if one) for name, found in counts.items()}

    def participant(self, source: Source) -> dict[str, str]:
        """Age and sex from SUBJECT-INFO; chb24 is not in it."""
        cells = {"age": "n/a", "sex": "n/a", "comment": "n/a"}
        case = "chb01" if source.place.subject == "chb21" else source.place.subject
        info = source.root / "SUBJECT-INFO"
        for _, line in lines_of(info) if info.is_file() else ():
            name, *rest = line.split()
            if name == case and len(rest) > 1:
                cells |= {"sex": sex_of(rest[0]), "age": rest[1]}
        return cells | ({"comment": "ses-02 was recorded a year and a half later"} if case == "chb01" else {})


def _blocks(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """File name and numbered lines of each entry of a summary."""
    name, block = "", list[tuple[int, str]]()
    for number, line in lines:
        if found := _FILE.fullmatch(line):
            if name:
                yield name, block
            name, block = found[1], []
        else:
            block.append((number, line))
    if name:
        yield name, block


def _seizures(block: Sequence[tuple[int, str]], summary: Path, span: Span) -> list[Event]:
    stated, start_s, seizures = None, None, list[Event]()
    for number, line in block:
        where = f"{summary.name}:{number}"
        if found := _COUNT.fullmatch(line):
            stated = int(found[1])
        elif found := _TIME.fullmatch(line):
            if (found[1].lower() == "start") != (start_s is None):
                raise ConvertError(f"{where}: {line!r} is out of turn", "write a start and an end for each seizure")
            if start_s is None:
                start_s = float(found[2])
            else:
                seizures.append(listed_event(start_s, float(found[2]), span, where))
                start_s = None
        elif "seizure" in line.lower():
            raise ConvertError(f"{where}: {line!r} is not understood", "write it as Seizure 1 Start Time: 2996 seconds")
    if start_s is not None or stated != len(seizures):
        count = "no number of" if stated is None else f"{stated}"
        raise ConvertError(
            f"{summary.name} states {count} seizures for this file and lists {len(seizures)} with start and end",
            "correct the summary",
        )
    return seizures


def _index_note(source: Source, summary: Path) -> str:
    index = source.root / INDEX
    missing = f"{summary.name} does not name this file"
    if not index.is_file():
        raise ConvertError(
            f"{missing}, and there is no {INDEX} to say that it has no seizures", "copy it from PhysioNet"
        )
    named = {line for _, line in lines_of(index)}
    if source.name in named:
        raise ConvertError(f"{missing}, though {INDEX} lists it", "find out when its seizures are")
    if not any(name.startswith(f"{source.place.subject}/") for name in named):
        raise ConvertError(f"{missing}, and {INDEX} lists no file of {source.place.subject}", "copy a whole one")
    return f"{missing}; {INDEX} does not either, so it has no seizures"
