"""Siena: names, the hand-written lists as they are on PhysioNet and with the slips that they are known for."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from convert_trees import SIENA, convert, place_of, reading, recordings, report, times, write_edf, write_text

from pytest_robustseiz.convert_plan import ConvertError
from pytest_robustseiz.convert_siena import Siena
from pytest_robustseiz.shifts import ELECTRODES

CORPUS = Siena()
INFO = (
    "patient_id, age_years, gender, seizure, localization, lateralization, eeg_channel, number_seizures, "
    "rec_time_minutes\nPN00,55,Male,IAS,T,R,29,5,198\nPN10,25,Male,FBTC,F,Bilateral,20,10,1002\n"
)
# Clock times of the published lists: start and end of the registration; start and length in s of the seizure, by hand.
PN00 = {
    1: ("19.39.33", 2605, 1143, 70),
    2: ("02.18.17", 2282, 1220, 54),
    3: ("18.15.44", 2489, 765, 60),  # the list has the end an hour late
    4: ("20.51.43", 2082, 1006, 74),
    5: ("22.22.04", 2123, 904, 67),
}
PN16 = {1: ("20.45.21", 8270, 7184, 123), 2: ("00.53.55", 9297, 8574, 107)}


def clock(text: str) -> datetime:
    return datetime.strptime(f"2016-01-01 {text}", "%Y-%m-%d %H.%M.%S")


def seizure(number: int, *lines: str) -> list[str]:
    return [f"Seizure n {number}", *lines, ""]


@pytest.mark.parametrize(
    "name, stem",
    [
        ("PN00/PN00-1.edf", "sub-00_ses-01_task-szMonitoring_run-01"),
        ("PN10/PN10-10.edf", "sub-10_ses-01_task-szMonitoring_run-10"),
        ("PN10/PN10-4.5.6.edf", "sub-10_ses-01_task-szMonitoring_run-04"),
        ("PN12/PN12-1.2.edf", "sub-12_ses-01_task-szMonitoring_run-01"),
    ],
)
def test_names(name: str, stem: str) -> None:
    place = place_of(CORPUS, name)
    assert place is not None
    assert place.target == f"{stem[:6]}/ses-01/eeg/{stem}"
    assert place.lists == (f"{name[:4]}/Seizures-list-{name[:4]}.txt",)


@pytest.mark.parametrize("name", ["PN00/PN01-1.edf", "PN00-1.edf", "PN00/PN00.edf", "PN00/PN00-.edf"])
def test_other_names_are_no_recordings(name: str) -> None:
    assert place_of(CORPUS, name) is None


@pytest.mark.parametrize("subject, table", [("PN00", PN00), ("PN16", PN16)])
def test_published_lists(
    shared_data: Path, tmp_path: Path, subject: str, table: dict[int, tuple[str, int, int, int]]
) -> None:
    (tmp_path / subject).mkdir()
    shutil.copy(shared_data / "raw" / "headers" / f"Seizures-list-{subject}.txt", tmp_path / subject)
    for number, (start, length_s, onset_s, seizure_s) in table.items():
        name = f"{subject}/{subject}-{number}.edf"
        found = reading(CORPUS, tmp_path, name, start=clock(start), seconds=length_s)
        assert times(found) == [(onset_s, onset_s + seizure_s)]
        corrected = f"Seizures-list-{subject}.txt, seizure {number}: seizure end was read as 18.29.29"
        assert any(note.startswith(corrected) for note in found.notes) == (name == "PN00/PN00-3.edf")


def test_type_and_channels_come_from_the_table_of_subjects(tmp_path: Path) -> None:
    lines = ["File name: PN00-1.edf", "Registration start time: 19.39.33", "Registration end time: 20.22.58"]
    lines += ["Seizure start time: 19.58.36", "Seizure end time: 19.59.46"]
    write_text(tmp_path / "PN00" / "Seizures-list-PN00.txt", *seizure(1, *lines))
    [event] = reading(CORPUS, tmp_path, "PN00/PN00-1.edf").seizures
    assert (event.event_type, event.channels) == ("sz", "n/a")
    assert "subject_info.csv" in reading(CORPUS, tmp_path, "PN00/PN00-1.edf").notes[0]
    write_text(tmp_path / "subject_info.csv", INFO)
    [event] = reading(CORPUS, tmp_path, "PN00/PN00-1.edf").seizures
    assert (event.event_type, event.channels) == ("sz_foc_ia", "T4,T6")  # impaired awareness, right temporal


def test_file_name_before_the_first_seizure_and_other_words(tmp_path: Path) -> None:
    write_text(
        tmp_path / "PN01" / "Seizures-list-PN01.txt",
        *(
            "PN01",
            "",
            "File name: PN01.edf",
            "Registration start time: 19.00.44",
            "Registration end time: 08.29.41",
            "",
        ),
        *("Seizure n 1", "Start time: 21:51:02", "End time: 21:51:56", ""),
        *("Seizure n 2", "Start time: 07:53:17", "End time: 07:54:31", ""),
    )
    found = reading(CORPUS, tmp_path, "PN01/PN01-1.edf", start=clock("19.00.44"), seconds=48_537)
    assert times(found) == [(10_218, 10_272), (46_353, 46_427)]  # the second after midnight


def test_times_of_the_registration_that_are_not_repeated(tmp_path: Path) -> None:
    first = ["File name: PN12-1.2.edf", "Registration start time: 15.51.31", "Registration end time: 17.55.27"]
    first += ["Seizure start time: 16:13.23", "Seizure end time: 16.14.26"]
    second = ["File name: PN12-1.2.edf", "Seizure start time: 17.40.00", "Seizure end time: 17.40.30"]
    third = ["File name: PN12-3.edf", "Registration start time: 08.42.35", "Registration end time: 09.42.35"]
    third += ["Seizure start time: 08.55.27", "Seizure end time: 08.57.03"]
    path = tmp_path / "PN12" / "Seizures-list-PN12.txt"
    write_text(path, *seizure(1, *first), *seizure(2, *second), *seizure(3, *third))
    found = reading(CORPUS, tmp_path, "PN12/PN12-1.2.edf", start=clock("15.51.31"), seconds=7_436)
    assert times(found) == [(1_312, 1_375), (6_509, 6_539)]
    found = reading(CORPUS, tmp_path, "PN12/PN12-3.edf", start=clock("08.42.35"))
    assert times(found) == [(772, 868)]


def test_the_end_that_is_an_hour_late(tmp_path: Path) -> None:
    lines = ["File name: PN00-3.edf", "Registration start time: 18.15.44", "Registration end time: 18.57.13"]
    lines += ["Seizure start time: 18.28.29", "Seizure end time: 19.29.29"]
    write_text(tmp_path / "PN00" / "Seizures-list-PN00.txt", *seizure(3, *lines))
    found = reading(CORPUS, tmp_path, "PN00/PN00-3.edf", start=clock("18.15.44"), seconds=2_509)
    assert times(found) == [(765, 825)]
    note = "Seizures-list-PN00.txt, seizure 3: seizure end was read as 18.29.29: 19.29.29 is after the recording"
    assert note in found.notes


def test_slips_of_pn10(tmp_path: Path) -> None:
    def entry(file: str, start: str, end: str, onset: str, offset: str) -> list[str]:
        registration = [f"Registration start time:{start}", f"Registration end time: {end}"]
        return [f"File name: {file}", *registration, f"Seizure start time: {onset}", f"Seizure end time: {offset}"]

    both = "15.43.53 (CLINICAL ONSET);  15.43.59 (ELECTRIC ONSET)"
    write_text(
        tmp_path / "PN10" / "Seizures-list-PN10.txt",
        *seizure(2, *entry("PN10-2.edf", "08.45.22", "12.00.00", "11.40.13", "11.41.04 opure 11.40.43")),
        *seizure(3, *entry("PN10-3.edf", "14.00.00", "16.00.00", both, "15.44.52")),
        *seizure(6, *entry("PN10-4.5.6.edf", "12.11.21", "16.48.49", "15.18.26 (CLINICAL ONSET)", "15.19.23")),
        *seizure(7, *entry("PN10-7.8.9.edf", "1 6.49.25", "21.22.33", "17.35.13", "17.36.01")),
        *seizure(8, *entry("PN10-7.8.9.edf", "16.49.25", "21.22.33", "18.20.24", "18.20.42")),
    )
    table = {
        "PN10-2.edf": ("08.45.22", [(10_491, 10_521)], "end was read as 11.40.43"),
        "PN10-3.edf": ("14.00.00", [(6_239, 6_292)], "start was read as 15.43.59"),  # the onset in the EEG
        "PN10-4.5.6.edf": ("12.11.21", [(11_225, 11_282)], "start is said to be clinical onset"),
        "PN10-7.8.9.edf": ("16.49.25", [(2_748, 2_796), (5_459, 5_477)], "start was read as 16.49.25"),
    }
    for name, (start, seizures, note) in table.items():
        found = reading(CORPUS, tmp_path, f"PN10/{name}", start=clock(start), seconds=17_000)
        assert times(found) == seizures
        assert any(note in one for one in found.notes)


@pytest.mark.parametrize("listed", ["PNO6-1.edf", "PN06-1.edf"])  # letter O for zero
def test_a_misspelt_file_name(tmp_path: Path, listed: str) -> None:
    lines = [f"File name: {listed} ", "Registration start time: 04.21.22", "Seizure start time: 05.54.25"]
    write_text(tmp_path / "PN06" / "Seizures-list-PN06.txt", *seizure(1, *lines, "Seizure end time:05.55.29"))
    found = reading(CORPUS, tmp_path, "PN06/PN06-1.edf", start=clock("04.21.22"), seconds=6_000)
    assert times(found) == [(5_583, 5_647)]


def write_pn14(folder: Path) -> None:
    lines = ["File name: PN14-3.edf", "Registration start time: 16.17.45", "Registration end time: 06.57.40"]
    lines += ["Seizure start time: 21.10.05", "Seizure end time: 21.10.46"]
    write_text(folder / "PN14" / "Seizures-list-PN14.txt", *seizure(3, *lines))


def test_a_start_of_the_registration_that_the_file_refutes(tmp_path: Path) -> None:
    write_pn14(tmp_path)
    found = reading(CORPUS, tmp_path, "PN14/PN14-3.edf", start=clock("19.17.45"), seconds=41_995)
    assert times(found) == [(6_740, 6_781)]  # not 17540 s, as the list's start would have it
    assert "the list says that the recording began at 16.17.45, the file says 19.17.45" in found.notes[0]


@pytest.mark.parametrize("start, seconds", [("00.00.00", 41_995), ("19.17.45", 30_000), ("18.00.00", 41_995)])
def test_clock_times_that_cannot_be_placed(tmp_path: Path, start: str, seconds: int) -> None:
    write_pn14(tmp_path)
    with pytest.raises(ConvertError, match=r"its clock times cannot be placed; correct the list or the start time"):
        reading(CORPUS, tmp_path, "PN14/PN14-3.edf", start=clock(start), seconds=seconds)


def test_a_file_without_a_start_or_longer_than_a_day(tmp_path: Path) -> None:
    write_pn14(tmp_path)
    for start, seconds in ((None, 41_995), (clock("19.17.45"), 86_401)):
        with pytest.raises(ConvertError, match="has no start time, or it is longer than a day"):
            reading(CORPUS, tmp_path, "PN14/PN14-3.edf", start=start, seconds=seconds)


@pytest.mark.parametrize(
    "lines, message",
    [
        (["File name: PN00-2.edf"], "does not name this file"),
        (["File name: PN00-1.edf", "Seizure start time: 19.58.36"], "registration start is ''"),
        (
            ["File name: PN00-1.edf", "Registration start time: 19.39"],
            "registration start is '19.39', which is not one",
        ),
        (["Seizure strat time: 19.58.36"], "txt:2: 'Seizure strat time: 19.58.36' is not understood"),
        (["File name: PN00-1.edf", "Registration start time: 19.39.33", "Seizure start time: 19.58.36"], "end is ''"),
    ],
)
def test_a_list_that_cannot_be_read(tmp_path: Path, lines: list[str], message: str) -> None:
    write_text(tmp_path / "PN00" / "Seizures-list-PN00.txt", *seizure(1, *lines))
    with pytest.raises(ConvertError, match=message):
        reading(CORPUS, tmp_path, "PN00/PN00-1.edf")


@pytest.mark.parametrize("end", ["24.01.00", "19.61.00", "19.59.60", "19.59.46 or 20.00.00", "19.59.36 and 10"])
def test_what_is_no_clock_time(tmp_path: Path, end: str) -> None:
    lines = ["File name: PN00-1.edf", "Registration start time: 19.39.33", "Seizure start time: 19.58.36"]
    write_text(tmp_path / "PN00" / "Seizures-list-PN00.txt", *seizure(1, *lines, f"Seizure end time: {end}"))
    with pytest.raises(ConvertError, match=r"seizure end is .* which is not one clock time; write it as 18.29.29"):
        reading(CORPUS, tmp_path, "PN00/PN00-1.edf")


def test_a_time_before_the_first_seizure(tmp_path: Path) -> None:
    write_text(tmp_path / "PN00" / "Seizures-list-PN00.txt", "Start time: 19.58.36")
    with pytest.raises(ConvertError, match=r"txt:1: 'Start time: 19.58.36' is of no seizure"):
        reading(CORPUS, tmp_path, "PN00/PN00-1.edf")


def test_a_correction_is_for_one_file_and_one_text_only(tmp_path: Path) -> None:
    lines = ["File name: PN00-4.edf", "Registration start time: 18.15.44", "Registration end time: 18.57.13"]
    lines += ["Seizure start time: 18.28.29", "Seizure end time: 19.29.29"]
    write_text(tmp_path / "PN00" / "Seizures-list-PN00.txt", *seizure(4, *lines))
    with pytest.raises(ConvertError, match=r"from 765 to 4425 s does not fit into the file's 2489 s"):
        reading(CORPUS, tmp_path, "PN00/PN00-4.edf", start=clock("18.15.44"), seconds=2_489)


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, np.ndarray]]:
    """A list with clock times around midnight, and the start that the list has an hour early, converted."""
    root = tmp_path_factory.mktemp("siena-scalp-eeg-database-1.0.0")
    start = datetime(2016, 1, 1, 23, 59, 30)
    data = write_edf(root / "PN00" / "PN00-1.edf", SIENA, seconds=60, rate=512, start=start)
    write_edf(root / "PN00" / "PN00-2.edf", SIENA[1:], seconds=60, rate=512, start=start + timedelta(hours=1))
    first = ["File name: PN00-1.edf", "Registration start time: 23.59.30", "Registration end time: 00.00.30"]
    second = ["File name: PN00-2.edf", "Registration start time: 23.59.30", "Registration end time: 01.00.30"]
    write_text(
        root / "PN00" / "Seizures-list-PN00.txt",
        *seizure(1, *first, "Seizure start time: 23.59.50", "Seizure end time: 00.00.10"),
        *seizure(2, *second, "Seizure start time: 01.00.00", "Seizure end time: 01.00.20"),
    )
    write_text(root / "subject_info.csv", INFO)
    target = root.parent / "bids"
    assert convert("siena", root, target) == 0
    return target, data


def test_electrodes_in_common_average(converted: tuple[Path, dict[str, np.ndarray]]) -> None:
    target, data = converted
    recording = recordings(target)["sub-00_ses-01_task-szMonitoring_run-01"]
    assert recording.montage == "unipolar"
    assert recording.channels == ELECTRODES
    assert recording.n_samples == 60 * 256
    assert recording.start == datetime(2016, 1, 1, 23, 59, 30)
    stack = np.array([data[f"EEG {name}"] for name in ELECTRODES])
    low = np.fft.rfft(stack - stack.mean(axis=0))[:, : 60 * 100]  # below 100 Hz, where no resampler may act
    again = np.fft.rfft(recording.eeg)[:, : 60 * 100] * 2
    difference = np.abs(again - low)[:, 120:].mean() / np.abs(low)[:, 120:].mean()
    assert difference < 0.01


def test_events_across_midnight(converted: tuple[Path, dict[str, np.ndarray]]) -> None:
    target, _ = converted
    found = recordings(target)
    for run in ("01", "02"):
        recording = found[f"sub-00_ses-01_task-szMonitoring_run-{run}"]
        assert recording.seizures == ({"01": (20.0, 40.0), "02": (30.0, 50.0)}[run],)
        assert recording.events[0].event_type == "sz_foc_ia"
    assert (target / "participants.tsv").read_text(encoding="utf-8") == "participant_id\tage\tsex\nsub-00\t55\tm\n"


def test_notes_that_differ_in_figures_are_told_once(converted: tuple[Path, dict[str, np.ndarray]]) -> None:
    target, _ = converted
    text = (target / "conversion_report.txt").read_text(encoding="utf-8")
    [line] = [line for line in text.splitlines() if "resampled from" in line]
    assert line == "note: PN00/PN00-1.edf: resampled from 512 Hz to 256 Hz (and 1 more like it)"
    [line] = [line for line in text.splitlines() if "common average" in line]
    assert line.endswith(" (and 1 more like it)")
    [line] = [line for line in text.splitlines() if "missing and zero-filled" in line]
    assert line == "note: PN00/PN00-2.edf: missing and zero-filled: Fp1"


def test_missing_electrode_and_what_epilepsy2bids_would_have(converted: tuple[Path, dict[str, np.ndarray]]) -> None:
    target, _ = converted
    row = report(target)["PN00/PN00-2.edf"]
    assert row["missing"] == "Fp1"
    assert "epilepsy2bids 0.0.7 has other seizures here: 3630-3650 s; this conversion has 30-50 s" in row["notes"]
    recording = recordings(target)["sub-00_ses-01_task-szMonitoring_run-02"]
    assert recording.missing == ("Fp1",)
    assert not recording.eeg[0].any()
    np.testing.assert_allclose(recording.eeg.sum(axis=0), 0, atol=0.02)  # the average is over the other eighteen
