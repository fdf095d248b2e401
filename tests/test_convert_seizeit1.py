"""SeizeIT1: names, the lists of both annotators, seizures whose end is not stated."""

from pathlib import Path

import numpy as np
import pytest
from convert_trees import (
    SEIZEIT1,
    convert,
    place_of,
    reading,
    recordings,
    report,
    seizeit_list,
    times,
    write_edf,
    write_text,
)

from pytest_robustseiz.convert_plan import Choices, ConvertError
from pytest_robustseiz.convert_seizeit1 import SeizeIT1
from pytest_robustseiz.shifts import ELECTRODES

CORPUS = SeizeIT1()
NAME = "P_ID64/P_ID64_r1.edf"
OPEN_END = "8971\tNone\tFIA\tHem:L, Orig:Temp, bhe: 0"  # as published


def write_list(root: Path, *rows: str, annotator: str = "a1", subject: str = "P_ID64", run: str = "r1") -> None:
    write_text(root / "P_ID64" / f"P_ID64_r1_{annotator}.tsv", *seizeit_list(subject, run, *rows))


@pytest.mark.parametrize(
    "name, stem",
    [
        ("P_ID10/P_ID10_r5.edf", "sub-10_ses-01_task-szMonitoring_run-05"),
        ("P_ID5/P_ID5_r10.edf", "sub-05_ses-01_task-szMonitoring_run-10"),
    ],
)
def test_names(name: str, stem: str) -> None:
    place = place_of(CORPUS, name)
    assert place is not None
    assert place.target == f"{stem[:6]}/ses-01/eeg/{stem}"
    assert place.lists == (name.replace(".edf", "_a1.tsv"),)
    assert place_of(CORPUS, name.replace("/P", "/Q")) is None


def test_rows_as_published(tmp_path: Path) -> None:
    write_list(tmp_path, "6193\t6233\tFIA\tHem:R, Orig:Temp, bhe: 1", "8971\t9071\tF-BTC\tHem:NC, Orig:NC, bhe: 0")
    found = reading(CORPUS, tmp_path, NAME, seconds=36_000)
    assert times(found) == [(6193, 6233), (8971, 9071)]
    assert [(event.event_type, event.channels) for event in found.seizures] == [
        ("sz_foc_ia", "T4,T6"),
        ("sz_foc_f2b", "n/a"),
    ]
    write_list(tmp_path)
    assert times(reading(CORPUS, tmp_path, NAME)) == []


def test_a_seizure_without_an_end_is_an_error_unless_a_length_is_given(tmp_path: Path) -> None:
    write_list(tmp_path, OPEN_END)
    with pytest.raises(
        ConvertError, match="tsv:9: the list does not state when the seizure at 8971 s ends; give --assume"
    ):
        reading(CORPUS, tmp_path, NAME, seconds=36_000)
    found = reading(CORPUS, tmp_path, NAME, seconds=36_000, choices=Choices(assumed_s=30))
    assert times(found) == [(8971, 9001)]
    assert found.seizures[0].confidence == 0.5
    assert "assumed after 30 s" in found.notes[0]
    found = reading(CORPUS, tmp_path, NAME, seconds=8_990, choices=Choices(assumed_s=30))
    assert times(found) == [(8971, 8990)]


def test_the_other_annotator(tmp_path: Path) -> None:
    write_list(tmp_path, OPEN_END)
    write_list(tmp_path, "8973\t9013\tFIA\tHem:L, Orig:Temp, bhe: 0", annotator="a2")
    found = reading(CORPUS, tmp_path, NAME, seconds=36_000, choices=Choices(annotator="a2"))
    assert times(found) == [(8973, 9013)]


def test_a_type_that_is_not_known_is_a_seizure(tmp_path: Path) -> None:
    write_list(tmp_path, "100\t130\tFU", "200\t230\tFIAS\tno place")
    found = reading(CORPUS, tmp_path, NAME)
    assert [event.event_type for event in found.seizures] == ["sz", "sz_foc_ia"]
    assert [event.channels for event in found.seizures] == ["n/a", "n/a"]
    assert "type 'FU' is none of FIA" in found.notes[0]


@pytest.mark.parametrize(
    "row, message",
    [
        ("100\t130", "tsv:9: '100 130' has not start, end and type"),
        ("None\t130\tFIA", "tsv:9: 'None' is not a number"),
        ("130\t100\tFIA", "from 130 to 100 s does not fit"),
        ("3590\t3650\tFIA", "from 3590 to 3650 s does not fit"),
    ],
)
def test_rows_that_cannot_be_trusted(tmp_path: Path, row: str, message: str) -> None:
    write_list(tmp_path, row)
    with pytest.raises(ConvertError, match=message):
        reading(CORPUS, tmp_path, NAME)


@pytest.mark.parametrize("subject, run", [("P_ID83", "r1"), ("P_ID64", "r11")])
def test_the_list_of_another_recording(tmp_path: Path, subject: str, run: str) -> None:
    write_list(tmp_path, subject=subject, run=run)
    with pytest.raises(
        ConvertError, match=f"P_ID64_r1_a1.tsv says that it is about {subject} {run}; copy the right one"
    ):
        reading(CORPUS, tmp_path, NAME)


def test_a_corpus(tmp_path: Path) -> None:
    root, target = tmp_path / "source", tmp_path / "bids"
    data = write_edf(root / "P_ID64" / "P_ID64_r1.edf", SEIZEIT1, seconds=40, rate=250)
    write_edf(root / "P_ID64" / "P_ID64_r2.edf", [f"EEG {one}" for one in SEIZEIT1], seconds=40, rate=250)
    write_edf(root / "P_ID64" / "P_ID64_r3.edf", SEIZEIT1, seconds=40, rate=250)
    for run, row in {"r1": "10\t20\tFIA", "r2": "10\tNone\tFA"}.items():
        write_text(root / "P_ID64" / f"P_ID64_{run}_a1.tsv", *seizeit_list("P_ID64", run, row))
    assert convert("seizeit1", root, target) == 1
    rows = report(target)
    assert [rows[f"P_ID64/P_ID64_r{i}.edf"]["state"] for i in (1, 2, 3)] == ["converted", "error", "error"]
    assert rows["P_ID64/P_ID64_r3.edf"]["reason"] == "its annotations P_ID64/P_ID64_r3_a1.tsv are not there"
    assert convert("seizeit1", root, target, "--assume-length", "15") == 1  # the third is still there
    found = recordings(target)
    assert [found[f"sub-64_ses-01_task-szMonitoring_run-0{i}"].seizures for i in (1, 2)] == [((10, 20),), ((10, 25),)]
    recording = found["sub-64_ses-01_task-szMonitoring_run-01"]
    assert recording.channels == ELECTRODES
    stack = np.array([data[name] for name in ELECTRODES])
    low = np.fft.rfft(stack - stack.mean(axis=0))[:, 80:4000]  # 2 to 100 Hz
    again = np.fft.rfft(recording.eeg)[:, 80:4000] * 250 / 256
    assert np.abs(again - low).mean() / np.abs(low).mean() < 0.01
    assert (target / "participants.tsv").read_text(encoding="utf-8") == "participant_id\tage\tsex\nsub-64\t20\tm\n"
