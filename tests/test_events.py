"""Events tables: what is read, what is refused, what is written."""

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_robustseiz.events import Event, EventsError, read_events, read_events_table, write_events

HEADER = "onset\tduration\teventType\tconfidence\tchannels\tdateTime\trecordingDuration"


def table(path: Path, *rows: str, header: str = HEADER) -> Path:
    """Write a table; rows have spaces for tabs."""
    file = path / "a_events.tsv"
    lines = [header, *(row.replace(" ", "\t") for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_full_rows(tmp_path: Path) -> None:
    file = table(tmp_path, "500 20 bckg", "100.25 30 sz-foc-ia 0.75 Fp1,F3", "5 2 sz n/a all")
    assert read_events(file, recording_s=1000) == (
        Event(5, 2, "sz", None, "all"),
        Event(100.25, 30, "sz-foc-ia", 0.75, "Fp1,F3"),
        Event(500, 20, "bckg"),
    )


def test_seizures_are_the_code_and_its_children() -> None:
    kinds = {"sz": True, "sz-foc": True, "sz-gen": True, "sz-uon": True, "bckg": False, "impedance": False}
    assert {kind: Event(0, 1, kind).is_seizure for kind in kinds} == kinds


@pytest.mark.parametrize("column", ["eventType", "event", "trial_type", "EVENTTYPE"])
def test_names_of_the_type_column(tmp_path: Path, column: str) -> None:
    file = table(tmp_path, "10 5 sz", header=f"onset\tduration\t{column}")
    assert read_events(file, recording_s=100) == (Event(10, 5, "sz"),)


def test_event_type_is_preferred_to_the_type_of_bids(tmp_path: Path) -> None:
    file = table(tmp_path, "10 5 stimulus sz", header="onset\tduration\ttrial_type\teventType")
    assert read_events(file, recording_s=100)[0].event_type == "sz"


def test_codes_in_any_case(tmp_path: Path) -> None:
    file = table(tmp_path, "10 10 SZ", "30 1 BCKG", "40 1 Sz-Foc", "50 1 Blink")
    assert [e.event_type for e in read_events(file, recording_s=100)] == ["sz", "bckg", "sz-foc", "Blink"]


def test_header_only_is_no_seizure(tmp_path: Path) -> None:
    assert read_events(table(tmp_path), recording_s=100) == ()


def test_negative_onset_is_clipped(tmp_path: Path) -> None:
    assert read_events(table(tmp_path, "-5 25 sz"), recording_s=100) == (Event(0, 20, "sz"),)


def test_end_within_a_second_of_the_recording_is_clipped(tmp_path: Path) -> None:
    assert read_events(table(tmp_path, "90 11 sz"), recording_s=100.5) == (Event(90, 10.5, "sz"),)


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "a_events.tsv"
    file.write_bytes(b"\xef\xbb\xbfonset\tduration\teventType\r\n10\t5\tsz\r\n\r\n")
    assert read_events(file, recording_s=100) == (Event(10, 5, "sz"),)


@pytest.mark.parametrize(
    "row, cell",
    [
        ("n/a 10 sz", "column onset, value 'n/a': a seizure must have a number"),
        ("10 n/a sz", "column duration, value 'n/a': a seizure must have a number"),
        ("nan 5 sz", "column onset, value 'nan': must be a finite number"),
        ("5 inf sz", "column duration, value 'inf': must be a finite number"),
        ("10,5 10 sz", "column onset, value '10,5': must be a number; write a decimal point"),
        ("50 -5 sz", "column duration, value '-5': must not be negative"),
        ("50 0 sz", "column duration, value '0': a seizure must have a length"),
        ("100 60000 sz", "column duration, value '60000': the event ends at 60100 s.* is this in milliseconds"),
        ("100000 60 sz", "column onset, value '100000': the recording ends at 3600 s; is this in milliseconds"),
        ("-10 5 sz", "column onset, value '-10': with a duration of 5 s it ends before the recording"),
        ("10 5 seizure", "column eventType, value 'seizure': is not a code; write sz"),
        ("10 5 n/a", "column eventType, value 'n/a': must say bckg, sz"),
        ("10 5 sz 1.5", "column confidence, value '1.5': must be between 0 and 1"),
        ("10 5 sz n/a n/a 01.02.2020", "column dateTime, value '01.02.2020': must be %Y-%m-%d"),
        ("10 5 sz n/a n/a n/a long", "column recordingDuration, value 'long': must be a number"),
        ("10 5 sz n/a n/a n/a 3600 more", "value 'more': the header has only 7 columns"),
    ],
)
def test_bad_rows(tmp_path: Path, row: str, cell: str) -> None:
    file = table(tmp_path, "1 1 sz", row)
    with pytest.raises(EventsError, match=rf"a_events\.tsv:3: .*{cell}"):
        read_events(file, recording_s=3600)


def test_one_error_lists_every_bad_row(tmp_path: Path) -> None:
    file = table(tmp_path, "n/a 10 sz", "20 5 sz", "10 n/a sz", "nan 5 sz")
    with pytest.raises(EventsError, match="onset") as caught:
        read_events(file, recording_s=100)
    assert [line.split(": column")[0] for line in str(caught.value).splitlines()] == [f"{file}:{i}" for i in (2, 4, 5)]


def test_rows_that_are_no_seizures_may_say_na_or_reach_outside(tmp_path: Path) -> None:
    file = table(tmp_path, "n/a n/a impedance", "5 n/a blink", "0 3600 bckg", "500 5 blink", "20 0 blink")
    assert read_events(file, recording_s=100) == (Event(0, 100, "bckg"), Event(20, 0, "blink"))


@pytest.mark.parametrize(
    "header, lacking",
    [
        ("onset\tduration", "no column eventType"),
        ("start\tstop\teventType", "no column onset, duration"),
        ("onset,duration,eventType", "separated by tabs"),
    ],
)
def test_lacking_columns(tmp_path: Path, header: str, lacking: str) -> None:
    with pytest.raises(EventsError, match=rf"a_events\.tsv:1: .*{lacking}"):
        read_events(table(tmp_path, header=header), recording_s=100)


@pytest.mark.parametrize("data, reason", [(b"", "empty"), (b"\xff\xfeo\0n\0", "UTF-8")])
def test_files_that_are_no_tables(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "a_events.tsv").write_bytes(data)
    with pytest.raises(EventsError, match=rf"a_events\.tsv: .*{reason}"):
        read_events(tmp_path / "a_events.tsv", recording_s=100)


def test_missing_table(tmp_path: Path) -> None:
    with pytest.raises(EventsError, match=r"a_events\.tsv: cannot be read"):
        read_events(tmp_path / "a_events.tsv", recording_s=100)


def test_start_and_stated_length(tmp_path: Path) -> None:
    header = "onset\tduration\teventType\tdateTime\trecordingDuration"
    file = tmp_path / "a_events.tsv"
    file.write_text(f"{header}\n0\t10\tbckg\t2020-02-03 04:05:06\t100.00\n")

    close, far = (read_events_table(file, recording_s=s) for s in (100.9, 60.0))

    assert close.start == datetime(2020, 2, 3, 4, 5, 6)
    assert close.notes == ()
    assert far.notes == ("the events table states 100 s of recording, the signal has 60 s",)


def test_rows_that_disagree_on_the_start_are_noted(tmp_path: Path) -> None:
    file = tmp_path / "a_events.tsv"
    rows = ("0\t1\tsz\t2020-01-01 00:00:00", "5\t1\tsz\t2020-01-01 00:00:05")
    file.write_text("\n".join(("onset\tduration\teventType\tdateTime", *rows)))
    read = read_events_table(file, recording_s=100)
    assert read.start == datetime(2020, 1, 1)
    assert "dateTime differs" in read.notes[0]


def test_written_table_is_that_of_epilepsy2bids(tmp_path: Path) -> None:
    file = tmp_path / "sub-01" / "b_events.tsv"
    write_events(file, [(20.5, 30), (10, 12)], recording_s=50, start=datetime(2000, 1, 1))
    assert file.read_bytes().decode().splitlines() == [
        HEADER,
        "10.00\t2.00\tsz\tn/a\tn/a\t2000-01-01 00:00:00\t50.00",
        "20.50\t9.50\tsz\tn/a\tn/a\t2000-01-01 00:00:00\t50.00",
    ]


def test_no_seizure_is_one_background_row(tmp_path: Path) -> None:
    file = tmp_path / "b_events.tsv"
    write_events(file, [], recording_s=50.25, start=None)
    assert file.read_text().splitlines() == [HEADER, "0.00\t50.25\tbckg\tn/a\tn/a\tn/a\t50.25"]


@pytest.mark.parametrize("bad", [(-1.0, 5.0), (5.0, 5.0), (7.0, 6.0), (40.0, 51.0), (float("nan"), 5.0)])
def test_events_that_cannot_be_written(tmp_path: Path, bad: tuple[float, float]) -> None:
    with pytest.raises(EventsError, match=r"seizures must have 0 <= start < stop <= 50 s"):
        write_events(tmp_path / "b_events.tsv", [bad], recording_s=50, start=None)
    assert not (tmp_path / "b_events.tsv").exists()


@given(st.sets(st.integers(0, 256 * 3600 * 24), min_size=2, max_size=20))
def test_whole_samples_survive_a_round_trip(tmp_path_factory: pytest.TempPathFactory, samples: set[int]) -> None:
    bounds = sorted(samples)
    events = [(a / 256, b / 256) for a, b in zip(bounds[::2], bounds[1::2], strict=False)]
    file = tmp_path_factory.mktemp("round") / "b_events.tsv"
    write_events(file, events, recording_s=bounds[-1] / 256, start=None)
    assert [(e.onset_s, e.stop_s) for e in read_events(file, recording_s=bounds[-1] / 256)] == events


def test_real_tables(shared_data: Path) -> None:
    folder = shared_data / "real-bids" / "sub-absence01" / "ses-01" / "eeg"
    read = read_events_table(next(folder.glob("*_events.tsv")), recording_s=1811)
    assert [e.event_type for e in read.events] == ["sz-gen"] * 3
    assert [e.onset_s for e in read.events] == [1380.51, 1416.90, 1476.93]
    assert [e.duration_s for e in read.events] == pytest.approx([3.74, 5.94, 6.34])
    assert read.start == datetime(2000, 1, 1)
    assert read.notes == ()
