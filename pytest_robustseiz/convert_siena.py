"""Siena Scalp EEG Database (https://physionet.org/content/siena-scalp-eeg/): names, hand-written lists, subjects.

The lists give clock times. The first sample was taken at the start time of the EDF header, so seizures are placed
against that, and the registration times of the list are a check. Public audits of all 41 files found that the header
agrees with the list in 39, and in the other two (PN05-3, PN14-3) with the end of the registration, so that there the
start is mistyped in the list; the file may go on for 20 s after the end that the list states.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_robustseiz.convert_lists import lines_of, listed_event, sex_of
from pytest_robustseiz.convert_plan import Choices, ConvertError, Place, Reading, Source, Span
from pytest_robustseiz.montage import Montage

DAY_S = 86400
START_S = 1.0  # header and list give whole seconds
END_S = 30.0  # how far the end of the file may be from the end that the list states
_NAME = re.compile(r"(PN(\d\d))/\1-(\d+)(?:\.\d+)*\.edf")
_CLOCK = re.compile(r"(\d{1,2})[.:](\d{2})[.:](\d{2})( *\([^()\d]*\))?")
_LIKE_A_CLOCK = re.compile(r"\d[.:]\d\d[.:]\d")
_LINE = re.compile(
    r"(?P<number>seizure\s+n\W*(?P<n>\d+).*)|file\s*name\s*:\s*(?P<file>\S+)"
    r"|(?P<what>(?:registration|seizure)\s+(?:start|end)|start|end)\s+time\s*:\s*(?P<time>.*)",
    re.IGNORECASE,
)
# What the lists of version 1.0.0 have that is no clock time, or none that can be: file, field and text (in lower case),
# with what is read instead, as epilepsy2bids does, and why.
CORRECTIONS = {
    ("PN00-3.edf", "seizure end", "19.29.29"): ("18.29.29", "19.29.29 is after the recording"),
    ("PN10-2.edf", "seizure end", "11.41.04 opure 11.40.43"): ("11.40.43", "the list gives two, 11.41.04 or 11.40.43"),
    ("PN10-3.edf", "seizure start", "15.43.53 (clinical onset); 15.43.59 (electric onset)"): (
        "15.43.59",
        "the list gives two, 15.43.53 (clinical) and 15.43.59 (in the EEG)",
    ),
    ("PN10-7.8.9.edf", "registration start", "1 6.49.25"): ("16.49.25", "the list has a blank in it"),
}


@dataclass(frozen=True)
class _Registration:
    """File name as the list has it, and what stands behind "Registration start time:" and "... end time:"."""

    file: str = ""
    times: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Entry:
    """One seizure of a list: where it stands, its recording, and its times as text."""

    where: str
    registration: _Registration
    times: dict[str, str]


class Siena:
    """The Siena Scalp EEG Database as it is on PhysioNet."""

    name = "Siena"
    montage: Montage = "unipolar"
    pattern = "PN00/PN00-1.edf beside PN00/Seizures-list-PN00.txt"
    templates = "siena"
    labels: Mapping[str, str] = {}

    def locate(self, name: str, choices: Choices) -> Place | None:
        """`PN10/PN10-4.5.6.edf`, which holds the seizures 4, 5 and 6, becomes sub-10, session 01, run 04."""
        found = _NAME.fullmatch(name)
        if not found:
            return None
        folder, subject, run = found.groups()
        stem = f"sub-{subject}_ses-01_task-szMonitoring_run-{int(run):02d}"
        return Place(folder, f"sub-{subject}/ses-01/eeg/{stem}", (f"{folder}/Seizures-list-{folder}.txt",))

    def read(self, source: Source, span: Span, choices: Choices) -> Reading:
        """Read the seizures of one recording; each has at least one, so the list must name the file."""
        from pytest_robustseiz.convert_epilepsy2bids import name_in_siena_list, siena_kind

        path = source.lists[0]
        names = {source.edf.name, name_in_siena_list(source.edf.name)}
        entries = [entry for entry in _entries(path) if entry.registration.file in names]
        if not entries:
            raise ConvertError(f"{path.name} does not name this file", "correct the file names in the list")
        clock = _Clock(source.edf.name, span)
        event_type, channels, note = siena_kind(source.edf)
        events = []
        for entry in entries:
            clock.check(entry)
            start_s, stop_s = clock.seizure_s(entry)
            events.append(listed_event(start_s, stop_s, span, entry.where, event_type=event_type, channels=channels))
        return Reading(tuple(events), tuple(dict.fromkeys([*clock.notes, *note])))

    def listed(self, path: Path) -> dict[str, int]:
        """None: its lists name no files that would have to lie beside them."""
        return {}

    def participant(self, source: Source) -> dict[str, str]:
        """Age and sex from subject_info.csv."""
        info = source.root / "subject_info.csv"
        rows: Sequence[str] = [line for _, line in lines_of(info)] if info.is_file() else []
        for row in csv.DictReader(rows, skipinitialspace=True):
            if row.get("patient_id") == source.place.subject:
                return {"age": row.get("age_years") or "n/a", "sex": sex_of(row.get("gender"))}
        return {"age": "n/a", "sex": "n/a"}


def _entries(path: Path) -> list[_Entry]:
    """Seizures of a list. Recording and times may stand before the first seizure, and be left out for the next one."""
    entries: list[_Entry] = []
    registration = _Registration()
    for number, line in lines_of(path):
        found = _LINE.fullmatch(line)
        if not found:
            if _LIKE_A_CLOCK.search(line):
                raise ConvertError(f"{path.name}:{number}: {line!r} is not understood", "write it as the other lines")
        elif found["number"]:
            entries.append(_Entry(f"{path.name}, seizure {found['n']}", registration, {}))
        elif found["file"]:
            same = found["file"] == registration.file
            registration = _Registration(found["file"], dict(registration.times) if same else {})
            if entries and not entries[-1].times:
                entries[-1] = replace(entries[-1], registration=registration)
        else:
            what = found["what"].lower().split()
            if what[0] != "registration" and not entries:
                raise ConvertError(f"{path.name}:{number}: {line!r} is of no seizure", "write Seizure n 1 above it")
            times = registration.times if what[0] == "registration" else entries[-1].times
            times[what[-1]] = " ".join(found["time"].split())
    return entries


class _Clock:
    """Turns the clock times of one recording's entries into seconds, and notes what it corrected."""

    def __init__(self, file: str, span: Span) -> None:
        if span.start is None or span.duration_s > DAY_S:
            raise ConvertError(
                "the list has clock times, and the header of the file has no start time, or it is longer than a day",
                "copy the file again from its source",
            )
        self.notes: list[str] = []
        self._file = file
        self._start_s = span.start.hour * 3600 + span.start.minute * 60 + span.start.second
        self._duration_s = span.duration_s

    def seizure_s(self, entry: _Entry) -> tuple[float, float]:
        """Start and stop in seconds of the recording."""
        start_s = self._since_start(entry, "seizure start", entry.times.get("start", ""))
        return start_s, self._since_start(entry, "seizure end", entry.times.get("end", ""))

    def check(self, entry: _Entry) -> None:
        """Compare the registration times of the list with the file."""
        times = entry.registration.times
        early_s = self._since_start(entry, "registration start", times.get("start", ""))
        early_s -= DAY_S if early_s > DAY_S / 2 else 0
        if abs(early_s) <= START_S:
            return
        end_s = self._since_start(entry, "registration end", times.get("end", ""))
        if abs(end_s - self._duration_s) > END_S:
            raise ConvertError(
                f"{entry.where}: the list has the recording from {times['start']} to {times['end']}, the file begins "
                f"at {_shown(self._start_s)} and has {self._duration_s:g} s, so its clock times cannot be placed",
                "correct the list or the start time of the file",
            )
        self.notes.append(
            f"the list says that the recording began at {times['start']}, the file says {_shown(self._start_s)} and "
            "ends when the list says; the time of the file was taken"
        )

    def _since_start(self, entry: _Entry, what: str, text: str) -> float:
        corrected = CORRECTIONS.get((self._file, what, text.lower()))
        if corrected:
            self.notes.append(f"{entry.where}: {what} was read as {corrected[0]}: {corrected[1]}")
        found = _CLOCK.fullmatch(corrected[0] if corrected else text)
        if not found or not (int(found[1]) < 24 and int(found[2]) < 60 and int(found[3]) < 60):
            raise ConvertError(
                f"{entry.where}: {what} is {text!r}, which is not one clock time", "write it as 18.29.29"
            )
        if found[4]:
            self.notes.append(f"{entry.where}: {what} is said to be {found[4].strip(' ()').lower()}")
        return float((int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3]) - self._start_s) % DAY_S)


def _shown(seconds: int) -> str:
    return f"{seconds // 3600:02d}.{seconds // 60 % 60:02d}.{seconds % 60:02d}"
