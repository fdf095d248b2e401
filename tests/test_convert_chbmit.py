"""CHB-MIT: names, summaries as they are on PhysioNet, files whose channels differ."""

import shutil
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from convert_trees import (
    CHB,
    CHB12_27,
    CHB12_28,
    CHB_DUMMIES,
    chb_entry,
    convert,
    place_of,
    reading,
    recordings,
    report,
    times,
    write_edf,
    write_text,
)

from pytest_robustseiz.convert_chbmit import ChbMit
from pytest_robustseiz.convert_plan import ConvertError
from pytest_robustseiz.montage import DOUBLE_BANANA

CORPUS = ChbMit()
# Read off the published summaries by hand.
CHB05 = {6: (417, 532), 13: (1086, 1196), 16: (2317, 2413), 17: (2451, 2571), 22: (2348, 2465)}
CHB08 = {2: (2670, 2841), 5: (2856, 3046), 11: (2988, 3122), 13: (2417, 2577), 21: (2083, 2347)}
COUNT, BEGIN, END = "Number of Seizures in File: ", "Seizure Start Time: ", "Seizure End Time: "
MODERN = {"T3": "T7", "T4": "T8", "T5": "P7", "T6": "P8"}


def chb_name(pair: str) -> str:
    """A pair of the double banana as CHB-MIT has it."""
    return "-".join(MODERN.get(name, name).upper() for name in pair.split("-"))


@pytest.mark.parametrize(
    "name, target",
    [
        ("chb01/chb01_03.edf", "sub-01/ses-01/eeg/sub-01_ses-01_task-szMonitoring_run-03"),
        ("chb24/chb24_22.edf", "sub-24/ses-01/eeg/sub-24_ses-01_task-szMonitoring_run-22"),
        ("chb17/chb17a_03.edf", "sub-17/ses-01/eeg/sub-17_ses-01_task-szMonitoring_acq-a_run-03"),
        ("chb17/chb17c_02.edf", "sub-17/ses-01/eeg/sub-17_ses-01_task-szMonitoring_acq-c_run-02"),
        ("chb02/chb02_16+.edf", "sub-02/ses-01/eeg/sub-02_ses-01_task-szMonitoring_acq-plus_run-16"),
        ("chb21/chb21_01.edf", "sub-01/ses-02/eeg/sub-01_ses-02_task-szMonitoring_run-01"),
    ],
)
def test_names(name: str, target: str) -> None:
    place = place_of(CORPUS, name)
    assert place is not None
    assert place.target == target
    assert place.subject == name[:5]
    assert place.lists == (f"{name[:5]}/{name[:5]}-summary.txt",)


@pytest.mark.parametrize(
    "name", ["chb01/chb02_03.edf", "chb01_03.edf", "chb01/chb01_3.edf", "chb01/chb01_03.EDF", "x.edf"]
)
def test_other_names_are_no_recordings(name: str) -> None:
    assert place_of(CORPUS, name) is None


@pytest.mark.parametrize("case, seizures, files", [("chb05", CHB05, 39), ("chb08", CHB08, 29)])
def test_published_summaries(
    shared_data: Path, tmp_path: Path, case: str, seizures: dict[int, tuple[int, int]], files: int
) -> None:
    (tmp_path / case).mkdir()
    shutil.copy(shared_data / "raw" / "headers" / f"{case}-summary.txt", tmp_path / case)
    absent = {1, 6, 7, 8, 9, 25, 26, 27, 28} if case == "chb08" else set()
    for number in set(range(1, files + 1)) - absent:
        found = reading(CORPUS, tmp_path, f"{case}/{case}_{number:02d}.edf")
        assert times(found) == ([seizures[number]] if number in seizures else [])
        assert found.notes == ()


def test_the_forms_of_a_summary(tmp_path: Path) -> None:
    write_text(
        tmp_path / "chb12" / "chb12-summary.txt",
        "Data Sampling Rate: 256 Hz",
        "*************************",
        *("Channels changed:", "Channel 1: F7-CS2", ""),
        *("File Name: chb12_27.edf \r", "Number of Seizures in File: 2", "Seizure 1 Start Time: 916 seconds"),
        *(
            "Seizure 1 End Time:  951 seconds",
            "Seizure 2 Start Time:  1097 seconds",
            "Seizure 2 End Time: 1124 seconds",
        ),
        *("", "Channels changed:", "Channel 1: F7", ""),
        *("File Name: chb12_28.edf", "File Start Time: 17:07:10", "Number of Seizures in File: 1"),
        *("Seizure Start Time: 181 seconds", "Seizure End Time: 215 seconds"),
        *("File Name: chb12_29.edf", "Number of Seizures in File: 0"),
    )
    assert times(reading(CORPUS, tmp_path, "chb12/chb12_27.edf")) == [(916, 951), (1097, 1124)]
    assert times(reading(CORPUS, tmp_path, "chb12/chb12_28.edf")) == [(181, 215)]
    assert times(reading(CORPUS, tmp_path, "chb12/chb12_29.edf")) == []


@pytest.mark.parametrize(
    "lines, message",
    [
        ([COUNT + "2", BEGIN + "1 seconds", END + "9 seconds"], "states 2 seizures .* lists 1"),
        ([BEGIN + "1 seconds", END + "9 seconds"], "states no number of seizures .* lists 1"),
        ([COUNT + "1", BEGIN + "1 seconds"], "states 1 seizures .* lists 0"),
        ([COUNT + "1", END + "9 seconds"], "summary.txt:3: 'Seizure End Time: 9 seconds' is out of turn"),
        ([COUNT + "1", "Seizure Start: 1 s"], "summary.txt:3: 'Seizure Start: 1 s' is not understood"),
        ([COUNT + "1", BEGIN + "3590 seconds", END + "3602 seconds"], "3590 to 3602 s does not fit into the file"),
        ([COUNT + "1", BEGIN + "9 seconds", END + "9 seconds"], "9 to 9 s does not fit"),
        ([COUNT + "0", "File Name: chb01_03.edf", COUNT + "0"], "has 2 entries for chb01_03.edf"),
    ],
)
def test_a_summary_that_contradicts_itself(tmp_path: Path, lines: list[str], message: str) -> None:
    write_text(tmp_path / "chb01" / "chb01-summary.txt", "File Name: chb01_03.edf", *lines)
    with pytest.raises(ConvertError, match=message):
        reading(CORPUS, tmp_path, "chb01/chb01_03.edf")


def test_a_seizure_may_end_a_rounded_second_after_the_file(tmp_path: Path) -> None:
    write_text(tmp_path / "chb01" / "chb01-summary.txt", *chb_entry("chb01_03.edf", (3590, 3601)))
    assert times(reading(CORPUS, tmp_path, "chb01/chb01_03.edf")) == [(3590, 3600)]


def test_a_file_that_the_summary_does_not_name(tmp_path: Path) -> None:
    write_text(tmp_path / "chb24" / "chb24-summary.txt", *chb_entry("chb24_01.edf", (480, 505)))
    name = "chb24/chb24_02.edf"
    with pytest.raises(ConvertError, match=r"does not name this file, and there is no RECORDS-WITH-SEIZURES"):
        reading(CORPUS, tmp_path, name)
    index = tmp_path / "RECORDS-WITH-SEIZURES"
    write_text(index, "chb01/chb01_03.edf")
    with pytest.raises(ConvertError, match="lists no file of chb24"):
        reading(CORPUS, tmp_path, name)
    write_text(index, "chb24/chb24_01.edf", name)
    with pytest.raises(ConvertError, match="though RECORDS-WITH-SEIZURES lists it"):
        reading(CORPUS, tmp_path, name)
    write_text(index, "chb24/chb24_01.edf")
    found = reading(CORPUS, tmp_path, name)
    assert times(found) == []
    assert "so it has no seizures" in found.notes[0]


def test_a_seizure_file_beside_a_recording_without_seizures(tmp_path: Path) -> None:
    write_text(tmp_path / "chb07" / "chb07-summary.txt", *chb_entry("chb07_18.edf"), *chb_entry("chb07_19.edf", (1, 9)))
    write_text(tmp_path / "RECORDS-WITH-SEIZURES", "chb07/chb07_18.edf")  # as published, by mistake
    for name in ("chb07_19.edf", "chb07_18.edf"):
        assert len(times(reading(CORPUS, tmp_path, f"chb07/{name}"))) == (name == "chb07_19.edf")
        (tmp_path / "chb07" / f"{name}.seizures").touch()
    with pytest.raises(ConvertError, match=r"states no seizure, but there is chb07_18.edf.seizures"):
        reading(CORPUS, tmp_path, "chb07/chb07_18.edf")


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, np.ndarray]]]:
    """A corpus with files of every kind, converted; and what was in the files."""
    root = tmp_path_factory.mktemp("chbmit") / "1.0.0"
    data = {
        "chb01/chb01_03.edf": write_edf(root / "chb01" / "chb01_03.edf", CHB, seconds=30),
        "chb12/chb12_24.edf": write_edf(root / "chb12" / "chb12_24.edf", CHB_DUMMIES, seconds=5),
        "chb12/chb12_27.edf": write_edf(root / "chb12" / "chb12_27.edf", [*CHB12_27, *["-"] * 5], seconds=5),
        "chb12/chb12_28.edf": write_edf(root / "chb12" / "chb12_28.edf", CHB12_28, seconds=5),
        "chb16/chb16_18.edf": write_edf(root / "chb16" / "chb16_18.edf", CHB_DUMMIES, seconds=5, stated_records=b"-1"),
        "chb17/chb17b_69.edf": write_edf(root / "chb17" / "chb17b_69.edf", CHB_DUMMIES, seconds=5, tail=bytes(256)),
        "chb21/chb21_01.edf": write_edf(
            root / "chb21" / "chb21_01.edf", [one for one in CHB if one != "P3-O1"], seconds=5
        ),
    }
    for case in ("chb01", "chb12", "chb16", "chb17", "chb21"):
        names = [name.split("/")[1] for name in data if name.startswith(case)]
        entries = [line for name in names for line in chb_entry(name, *[(12, 20)] * (case == "chb01"))]
        write_text(root / case / f"{case}-summary.txt", *entries)
    write_text(root / "SUBJECT-INFO", "Case\tGender\tAge (years)", "chb01\tF\t11", "chb12\tF\t2", "chb16\tF\t7")
    target = root.parent / "bids"
    assert convert("chbmit", root, target) == 0
    return target, data


@pytest.mark.parametrize(
    "name, stem",
    [
        ("chb01/chb01_03.edf", "sub-01_ses-01_task-szMonitoring_run-03"),
        ("chb12/chb12_24.edf", "sub-12_ses-01_task-szMonitoring_run-24"),
        ("chb16/chb16_18.edf", "sub-16_ses-01_task-szMonitoring_run-18"),
        ("chb17/chb17b_69.edf", "sub-17_ses-01_task-szMonitoring_acq-b_run-69"),
    ],
)
def test_pairs_are_kept(converted: tuple[Path, dict[str, dict[str, np.ndarray]]], name: str, stem: str) -> None:
    target, data = converted
    recording = recordings(target)[stem]
    assert recording.montage == "bipolar"
    assert recording.channels == DOUBLE_BANANA
    assert recording.missing == ()
    for pair, row in zip(DOUBLE_BANANA, recording.eeg, strict=True):
        np.testing.assert_allclose(row, data[name][chb_name(pair)], atol=2e-3)  # 16 bits over the channel's own range


@pytest.mark.parametrize("number, label", [(27, "{}-CS2"), (28, "{}")])
def test_pairs_are_derived_where_the_file_has_electrodes(
    converted: tuple[Path, dict[str, dict[str, np.ndarray]]], number: int, label: str
) -> None:
    target, data = converted
    recording = recordings(target)[f"sub-12_ses-01_task-szMonitoring_run-{number}"]
    electrodes = data[f"chb12/chb12_{number}.edf"]
    assert recording.channels == DOUBLE_BANANA
    assert recording.missing == ()
    for pair, row in zip(DOUBLE_BANANA, recording.eeg, strict=True):
        plus, minus = (label.format(name) for name in chb_name(pair).split("-"))
        if number == 28:
            plus, minus = (name.replace("O1", "01") for name in (plus, minus))
        np.testing.assert_allclose(row, electrodes[plus] - electrodes[minus], atol=3e-3)
    assert "the pairs were derived from them" in report(target)[f"chb12/chb12_{number}.edf"]["notes"]


def test_a_missing_pair_is_zero_and_said(converted: tuple[Path, dict[str, dict[str, np.ndarray]]]) -> None:
    target, _ = converted
    recording = recordings(target)["sub-01_ses-02_task-szMonitoring_run-01"]
    assert recording.missing == ("P3-O1",)
    assert not recording.eeg[DOUBLE_BANANA.index("P3-O1")].any()
    assert report(target)["chb21/chb21_01.edf"]["missing"] == "P3-O1"


def test_records_that_the_header_miscounts(converted: tuple[Path, dict[str, dict[str, np.ndarray]]]) -> None:
    target, _ = converted
    for name in ("chb16/chb16_18.edf", "chb17/chb17b_69.edf"):
        row = report(target)[name]
        assert float(row["hours"]) == pytest.approx(5 / 3600, abs=1e-6)
        assert "edfio:" in row["notes"]


def test_events_and_participants(converted: tuple[Path, dict[str, dict[str, np.ndarray]]]) -> None:
    target, _ = converted
    found = recordings(target)
    assert found["sub-01_ses-01_task-szMonitoring_run-03"].seizures == ((12.0, 20.0),)
    assert [event.event_type for event in found["sub-01_ses-02_task-szMonitoring_run-01"].events] == ["bckg"]
    lines = (target / "participants.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "participant_id\tage\tsex\tcomment"
    assert lines[1].startswith("sub-01\t11\tf\tses-02")
    assert lines[-1] == "sub-17\tn/a\tn/a\tn/a"


def test_the_published_header_with_t8_p8_twice(shared_data: Path, tmp_path: Path) -> None:
    sample = bytearray((shared_data / "raw" / "headers" / "chb01_01_sample.edf").read_bytes())
    root, target = tmp_path / "source", tmp_path / "bids"
    (root / "chb01").mkdir(parents=True)
    (root / "chb01" / "chb01_01.edf").write_bytes(sample)  # noise of its own in each channel
    header, record, channel = 256 * 25, 2 * (23 * 256 + 57), 2 * 256
    for start in (header, header + record):  # as in the corpus: the fifteenth channel once more
        sample[start + 22 * channel : start + 23 * channel] = sample[start + 14 * channel : start + 15 * channel]
    (root / "chb01" / "chb01_02.edf").write_bytes(sample)
    write_text(root / "chb01" / "chb01-summary.txt", *chb_entry("chb01_01.edf"), *chb_entry("chb01_02.edf"))
    assert convert("chbmit", root, target) == 1
    first, second = report(target)["chb01/chb01_01.edf"], report(target)["chb01/chb01_02.edf"]
    assert first["state"] == "error"
    assert "channels 'T8-P8' and 'T8-P8' name one site but differ" in first["reason"]
    assert first["fix"] == "remove the wrong one from the file"
    assert second["state"] == "converted"
    recording = recordings(target)["sub-01_ses-01_task-szMonitoring_run-02"]
    assert recording.start == datetime(2076, 11, 6, 11, 42, 54)
    steps = np.frombuffer(sample[header + 14 * channel : header + 15 * channel], dtype="<i2")
    expected = (steps + 2048.0) * 1600 / 4095 - 800  # by the header's ranges
    np.testing.assert_allclose(recording.eeg[DOUBLE_BANANA.index("T4-T6"), :256], expected, atol=0.02)
