"""SeizeIT1 (https://doi.org/10.48804/P5Q0OJ): names, and the two lists of annotations that each recording has."""

import re
from collections.abc import Mapping
from pathlib import Path

from pytest_robustseiz.convert_lists import lines_of, listed_event, listed_number, sex_of
from pytest_robustseiz.convert_plan import Choices, ConvertError, Place, Reading, Source, Span
from pytest_robustseiz.events import Event
from pytest_robustseiz.montage import Montage

ASSUMED_CONFIDENCE = 0.5  # as epilepsy2bids has it, for a seizure whose length was not annotated
CODES = {"FIA": "sz_foc_ia", "FIAS": "sz_foc_ia", "FA": "sz_foc_a", "FAS": "sz_foc_a", "F-BTC": "sz_foc_f2b"}
_NAME = re.compile(r"((P_ID(\d+))/\2_r(\d+))\.edf")
_STATED = re.compile(r"#\s*(\w+)\s*:\s*(.*)")


class SeizeIT1:
    """SeizeIT1 as KU Leuven hands it out."""

    name = "SeizeIT1"
    montage: Montage = "unipolar"
    pattern = "P_ID10/P_ID10_r5.edf beside P_ID10/P_ID10_r5_a1.tsv"
    templates = "seizeit"
    labels: Mapping[str, str] = {}

    def locate(self, name: str, choices: Choices) -> Place | None:
        """`P_ID10/P_ID10_r5.edf` becomes sub-10, session 01, run 05."""
        found = _NAME.fullmatch(name)
        if not found:
            return None
        path, folder, subject, run = found.groups()
        label = f"sub-{int(subject):02d}"
        stem = f"{label}_ses-01_task-szMonitoring_run-{int(run):02d}"
        return Place(folder, f"{label}/ses-01/eeg/{stem}", (f"{path}_{choices.annotator}.tsv",))

    def read(self, source: Source, span: Span, choices: Choices) -> Reading:
        """Read the seizures of one recording from the list of the annotator that was chosen."""
        path = source.lists[0]
        stated = _stated(path)
        folder, run = source.edf.stem.rsplit("_", 1)
        if (stated.get("subject", folder), stated.get("recording", run)) != (folder, run):
            raise ConvertError(
                f"{path.name} says that it is about {stated.get('subject')} {stated.get('recording')}",
                "copy the right one from the source",
            )
        events, notes = list[Event](), list[str]()
        for number, line in lines_of(path):
            if not line.startswith("#"):
                event, note = _event(line.split("\t"), span, choices, f"{path.name}:{number}")
                events.append(event)
                notes += [note] if note else []
        return Reading(tuple(sorted(events, key=lambda event: event.onset_s)), tuple(notes))

    def listed(self, path: Path) -> dict[str, int]:
        """None: its lists name no files that would have to lie beside them."""
        return {}

    def participant(self, source: Source) -> dict[str, str]:
        """Age and sex from the head of the list."""
        stated = _stated(source.lists[0])
        return {"age": stated.get("age") or "n/a", "sex": sex_of(stated.get("gender"))}


def _stated(path: Path) -> dict[str, str]:
    """What the comments at the head of a list say."""
    found = [_STATED.fullmatch(line) for _, line in lines_of(path)]
    return {match[1].lower(): match[2].strip() for match in found if match}


def _event(cells: list[str], span: Span, choices: Choices, where: str) -> tuple[Event, str]:
    cells = [cell.strip() for cell in cells]
    if len(cells) < 3:
        raise ConvertError(f"{where}: {' '.join(cells)!r} has not start, end and type", "separate them by tabs")
    from pytest_robustseiz.convert_epilepsy2bids import seizeit_channels

    start_s, stop_s = listed_number(cells[0], where), _end(cells[1], where)
    notes, confidence = [], None
    if stop_s is None:
        if choices.assumed_s is None:
            raise ConvertError(
                f"{where}: the list does not state when the seizure at {start_s:g} s ends",
                "give --assume-length 30 to have it 30 s long with confidence 0.5, as epilepsy2bids does, or take the "
                "other annotator's list with --annotations",
            )
        stop_s, confidence = min(start_s + choices.assumed_s, span.duration_s), ASSUMED_CONFIDENCE
        notes.append(f"{where}: end of the seizure at {start_s:g} s assumed after {choices.assumed_s:g} s")
    code = CODES.get(cells[2].upper(), "sz")
    if code == "sz":
        notes.append(f"{where}: type {cells[2]!r} is none of {', '.join(CODES)}; written as sz")
    channels = seizeit_channels(cells[3]) if len(cells) > 3 else "n/a"
    event = listed_event(start_s, stop_s, span, where, event_type=code, confidence=confidence, channels=channels)
    return event, "; ".join(notes)


def _end(cell: str, where: str) -> float | None:
    return None if cell.lower() in ("", "none", "nan", "n/a") else listed_number(cell, where)
