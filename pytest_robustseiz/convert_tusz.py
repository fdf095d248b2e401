"""TUH EEG Seizure Corpus, version 2 (https://isip.piconepress.com/projects/tuh_eeg/): names and csv_bi files."""

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from pytest_robustseiz.convert_lists import lines_of, listed_event, listed_number
from pytest_robustseiz.convert_plan import Choices, ConvertError, Place, Reading, Source, Span
from pytest_robustseiz.events import Event
from pytest_robustseiz.montage import Montage

COLUMNS = ["channel", "start_time", "stop_time", "label", "confidence"]
# Labels of the corpus' annotation guidelines, and the codes that epilepsy2bids has for them.
CODES = {
    "seiz": "sz",
    "fnsz": "sz_foc",
    "gnsz": "sz_gen",
    "spsz": "sz_foc_a",
    "cpsz": "sz_foc_ia",
    "absz": "sz_gen_nm",
    "tnsz": "sz_gen_m_tonic",
    "cnsz": "sz_gen_m_clonic",
    "tcsz": "sz_gen_m_tonicClonic",
    "atsz": "sz_gen_m_atonic",
    "mysz": "sz_gen_nm_myoclonic",
}
_NAME = re.compile(r"((?:edf/)?(train|dev|eval)/([a-z]{8})/s(\d{3})_\d{4}[\d_]*/\d\d_tcp_\w+/\3_s\4_t(\d{3}))\.edf")
_STATED = re.compile(r"#\s*(\w+)\s*=\s*(.*)")


class Tusz:
    """The TUH EEG Seizure Corpus, version 2."""

    name = "TUSZ"
    montage: Montage = "unipolar"
    pattern = "edf/eval/aaaaaaaq/s007_2014/01_tcp_ar/aaaaaaaq_s007_t000.edf beside its .csv_bi"
    templates = "tuh"
    labels: Mapping[str, str] = {}

    def locate(self, name: str, choices: Choices) -> Place | None:
        """`edf/eval/aaaaaaaq/s007_2014/01_tcp_ar/aaaaaaaq_s007_t000.edf` becomes sub-aaaaaaaq, session 007, run 000."""
        found = _NAME.fullmatch(name)
        if not found:
            return None
        path, split, subject, session, token = found.groups()
        stem = f"sub-{subject}_ses-{session}_task-szMonitoring_run-{token}"
        return Place(subject, f"sub-{subject}/ses-{session}/eeg/{stem}", (f"{path}.csv_bi",), split)

    def read(self, source: Source, span: Span, choices: Choices) -> Reading:
        """Read the seizures of one recording from its csv_bi file; its rows of background need not cover the rest."""
        path = source.lists[0]
        lines = lines_of(path)
        stated = {found[1]: found[2].strip() for _, line in lines if (found := _STATED.fullmatch(line))}
        if stated.get("bname", source.edf.stem) != source.edf.stem:
            raise ConvertError(f"{path.name} is about {stated['bname']}", "copy the right one from the source")
        rows = [(number, next(csv.reader([line]))) for number, line in lines if not line.startswith("#")]
        if not rows or [cell.strip() for cell in rows[0][1]] != COLUMNS:
            raise ConvertError(
                f"{path.name} does not begin with the columns {','.join(COLUMNS)}", "copy it from the source"
            )
        events = [event for number, cells in rows[1:] if (event := _event(cells, span, f"{path.name}:{number}"))]
        return Reading(tuple(sorted(events, key=lambda event: event.onset_s)), tuple(_notes(path, stated, span)))

    def listed(self, path: Path) -> dict[str, int]:
        """None: its lists name no files that would have to lie beside them."""
        return {}

    def participant(self, source: Source) -> dict[str, str]:
        """The corpus' own name, and the split."""
        return {"TUH_id": source.place.subject, "split": source.place.split}


def _event(cells: list[str], span: Span, where: str) -> Event | None:
    cells = [cell.strip() for cell in cells]
    if len(cells) != len(COLUMNS) or cells[0] != "TERM" or cells[3].lower() not in (*CODES, "bckg"):
        raise ConvertError(
            f"{where}: {','.join(cells)!r} is no row of a term-based annotation: TERM, two times, bckg or one of "
            f"{', '.join(CODES)}, and a confidence",
            "copy the file from the source",
        )
    numbers = [listed_number(cells[i], where) for i in (1, 2, 4)]
    if cells[3].lower() == "bckg":
        return None
    return listed_event(numbers[0], numbers[1], span, where, event_type=CODES[cells[3].lower()], confidence=numbers[2])


def _notes(path: Path, stated: dict[str, str], span: Span) -> list[str]:
    duration = stated.get("duration", "").removesuffix("secs").strip()
    if not duration or abs(listed_number(duration, path.name) - span.duration_s) <= 1:
        return []
    return [f"{path.name} states {duration} s of recording, the file has {span.duration_s:g} s"]
