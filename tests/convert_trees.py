"""Trees laid out as the corpora that can be converted, with their names, labels and quirks; signals are synthetic."""

import csv
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
from edf_files import Channel, EdfFile, noise

from pytest_robustseiz.cli import main
from pytest_robustseiz.convert_plan import Choices, Corpus, Place, Reading, Source, Span
from pytest_robustseiz.corpus import RecordingFiles, discover
from pytest_robustseiz.recording import Recording, read_recording


def _words(text: str) -> list[str]:
    return text.split()


# As in the headers of the corpora. A label "-" is a dummy; one that occurs twice has the same data twice.
CHB = _words(
    "FP1-F7 F7-T7 T7-P7 P7-O1 FP1-F3 F3-C3 C3-P3 P3-O1 FP2-F4 F4-C4 C4-P4 P4-O2 FP2-F8 F8-T8 T8-P8 P8-O2 FZ-CZ CZ-PZ "
    "P7-T7 T7-FT9 FT9-FT10 FT10-T8 T8-P8"
)
CHB_DUMMIES = _words(
    "FP1-F7 F7-T7 T7-P7 P7-O1 - FP1-F3 F3-C3 C3-P3 P3-O1 - FP2-F4 F4-C4 C4-P4 P4-O2 - FP2-F8 F8-T8 T8-P8 P8-O2 - "
    "FZ-CZ CZ-PZ - P7-T7 T7-FT9 FT9-FT10 FT10-T8 T8-P8"
)
CHB12_28 = _words("F7 T7 P7 FP1 F3 C3 P3 01 FZ CZ PZ FP2 F4 C4 P4 O2 F8 T8 P8 C2 C6 CP2 CP4 CP6")
CHB12_27 = [f"{label.replace('01', 'O1')}-CS2" for label in CHB12_28]
_SIENA = _words("Fp1 F3 C3 P3 O1 F7 T3 T5 Fc1 Fc5 Cp1 Cp5 F9 Fz Cz Pz Fp2 F4 C4 P4 O2 F8 T4 T6 Fc2 Fc6 Cp2 Cp6 F10")
SIENA = [*(f"EEG {name}" for name in _SIENA), "EKG EKG", "SPO2", "HR", "1", "2", "MK"]
_TUSZ = _words("FP1 FP2 F3 F4 C3 C4 P3 P4 O1 O2 F7 F8 T3 T4 T5 T6 A1 A2 FZ CZ PZ ROC LOC EKG1 T1 T2")
SEIZEIT1 = _words(
    "Fp1 Fp2 F3 F4 F7 F8 Fz C3 C4 Cz T3 T4 T5 T6 P3 P4 Pz O1 O2 OorLiAchter OorReAchter OorLiTop OorReTop Sph1 Sph2 ECG"
)
START = datetime(2016, 1, 1, 19, 39, 33)


def tusz_labels(reference: str) -> list[str]:
    """Labels of a TUSZ file against a reference, REF or LE."""
    return [*(f"EEG {name}-{reference}" for name in _TUSZ), "PHOTIC-REF", "IBI", "BURSTS", "SUPPR"]


def write_edf(
    path: Path,
    labels: Sequence[str],
    *,
    seconds: int = 4,
    rate: int = 256,
    record_s: bytes = b"1",
    stated_records: bytes | None = None,
    start: datetime | str = START,
    unit: bytes = b"uV",
    tail: bytes = b"",
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """Write an EDF file of noise; the data in microvolts of each label. `rate` counts the samples of a record."""
    n = seconds * rate
    data = {label: noise(n, seed=seed + i) for i, label in enumerate(dict.fromkeys(labels))}
    channels = [
        Channel(label.encode("latin-1"), data[label], unit=unit, **({"physical": (b"0", b"0")} if label == "-" else {}))
        for label in labels
    ]
    file = EdfFile(channels, n_records=seconds, record_s=record_s, stated_records=stated_records, tail=tail)
    encoded = bytearray(file.encode())
    encoded[168:184] = (start if isinstance(start, str) else start.strftime("%d.%m.%y%H.%M.%S")).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded)
    return {label: values * 0.1 for label, values in data.items()}


def write_text(path: Path, *lines: str) -> None:
    """Write a list; its folder is made when needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="latin-1")


def chb_entry(name: str, *seizures: tuple[float, float]) -> list[str]:
    """The lines of a CHB-MIT summary for one file."""
    lines = [f"File Name: {name}", "File Start Time: 11:42:54", "File End Time: 12:42:54"]
    lines.append(f"Number of Seizures in File: {len(seizures)}")
    for number, (start_s, stop_s) in enumerate(seizures, start=1):
        lines += [f"Seizure {number} Start Time: {start_s} seconds", f"Seizure {number} End Time:  {stop_s} seconds"]
    return [*lines, ""]


def csv_bi(stem: str, seconds: float, *rows: str) -> list[str]:
    """The lines of a TUSZ csv_bi file."""
    head = ["# version = csv_v1.0.0", f"# bname = {stem}", f"# duration = {seconds:.2f} secs"]
    head += ["# montage_file = $NEDC_NFC/lib/nedc_eas_default_montage.txt", "#"]
    return [*head, "channel,start_time,stop_time,label,confidence", *rows]


def seizeit_list(subject: str, run: str, *rows: str, annotators: str = "Neurologist") -> list[str]:
    """The lines of a SeizeIT1 list."""
    head = ["Source: SeizeIt1", f"Annotators: {annotators}", f"Subject: {subject}", "Gender: Male", "Age: 20"]
    return [*(f"# {line}" for line in [*head, f"Recording: {run}"]), " ", "", *rows]


def source(corpus: Corpus, root: Path, name: str, choices: Choices | None = None) -> Source:
    """The recording of this name."""
    place = corpus.locate(name, choices or Choices())
    assert place is not None
    return Source(root, name, place)


def place_of(corpus: Corpus, name: str) -> Place | None:
    """Where the corpus puts a file of this name."""
    return corpus.locate(name, Choices())


def reading(
    corpus: Corpus,
    root: Path,
    name: str,
    *,
    start: datetime | None = START,
    seconds: float = 3600,
    choices: Choices | None = None,
) -> Reading:
    """What the lists of a recording say, which begins and lasts as given; it need not be on disk."""
    chosen = choices or Choices()
    return corpus.read(source(corpus, root, name, chosen), Span(start, seconds), chosen)


def times(found: Reading) -> list[tuple[float, float]]:
    """Start and stop of each seizure in seconds."""
    return [(event.onset_s, event.stop_s) for event in found.seizures]


def convert(corpus: str, root: Path, target: Path, *options: str) -> int:
    """Run the command in this process."""
    return main(["convert", corpus, str(root), str(target), "--workers", "1", *options])


def report(target: Path) -> dict[str, dict[str, str]]:
    """Rows of the report by name of the source."""
    with (target / "conversion_report.tsv").open(encoding="utf-8", newline="") as file:
        return {row["source"]: row for row in csv.DictReader(file, delimiter="\t")}


def recordings(target: Path) -> dict[str, Recording]:
    """What a run would read from a converted corpus, by stem."""
    files = [recording for subject in discover(target) for recording in subject.recordings]
    return {one.stem: read_recording(one) for one in files}


def files_of(target: Path) -> list[RecordingFiles]:
    """The recordings of a converted corpus."""
    return [recording for subject in discover(target) for recording in subject.recordings]
