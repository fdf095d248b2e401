"""What the cells of an events table may hold: codes of seizures, types that are none, numbers, columns, quotes."""

import itertools
from pathlib import Path

import pytest

from pytest_robustseiz.events import Event, EventsError, read_events, read_events_table

HEADER = "onset\tduration\teventType\tconfidence\tchannels"
TUSZ = ["fnsz", "gnsz", "spsz", "cpsz", "absz", "tnsz", "cnsz", "tcsz", "atsz", "mysz", "nesz", "FNSZ"]
OTHERS = ["seiz", "seizure", "focal_seizure", "preseizure", "bckg-sz", "ictal", "Ictal", "ictal_onset", "peri-ictal"]
CHILDREN = ["foc-ia", "foc", "gen", "uon", "GEN-tc", "focal", "general"]
MIXED = ["interictal-sz", "postictal_seizure", "ictal-postictal"]


def table(path: Path, *rows: str, header: str = HEADER) -> Path:
    file = path / "a_events.tsv"
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return file


# Types


@pytest.mark.parametrize("code", [*TUSZ, *OTHERS, *CHILDREN, *MIXED])
def test_seizures_under_other_codes_are_refused(tmp_path: Path, code: str) -> None:
    file = table(tmp_path, f"10\t5\t{code}")
    message = rf"a_events\.tsv:2: column eventType, value '{code}': is not a code; write sz .* such as sz-foc"
    with pytest.raises(EventsError, match=message):
        read_events(file, recording_s=100)


@pytest.mark.parametrize(
    "code", ["interictal", "preictal", "postictal", "Inter-ictal spikes", "post_ictal", "pre ictal", "blink"]
)
def test_other_types_are_read_and_noted(tmp_path: Path, code: str) -> None:
    read = read_events_table(table(tmp_path, "30\t5\tsz", f"10\t5\t{code}"), recording_s=100)
    assert [(e.event_type, e.is_seizure) for e in read.events] == [(code, False), ("sz", True)]
    assert read.notes == (f"1 row of type {code!r} is no seizure and is not scored",)


def test_every_type_that_is_not_scored_is_counted(tmp_path: Path) -> None:
    rows = ["1\t2\tsz-gen", "0\t100\tbckg", "5\t1\tchew", "n/a\tn/a\timpedance", "6\t1\tchew", "900\t1\tchew"]
    assert read_events_table(table(tmp_path, *rows), recording_s=100).notes == (
        "3 rows of type 'chew' are not seizures and are not scored",
        "1 row of type 'impedance' is no seizure and is not scored",
    )


def test_codes_alone_need_no_note(tmp_path: Path) -> None:
    rows = ["1\t2\tSZ", "5\t1\tsz-foc-ia", "0\t100\tBCKG", "7\t1\tszx"]
    read = read_events_table(table(tmp_path, *rows), recording_s=100)
    assert read.notes == ()
    assert [e.is_seizure for e in read.events] == [False, True, True, True]


# Order


def test_events_that_begin_together_have_one_order(tmp_path: Path) -> None:
    wanted = (Event(10, 5, "sz"), Event(10, 5, "sz-foc"), Event(10, 20, "sz"), Event(11, 1, "sz"))
    rows = [f"{e.onset_s}\t{e.duration_s}\t{e.event_type}" for e in wanted]
    for order in itertools.permutations(rows):
        assert read_events(table(tmp_path, *order), recording_s=100) == wanted


# Numbers


@pytest.mark.parametrize("text", ["1_0", "1e1_0", "0x10", "\N{ARABIC-INDIC DIGIT ONE}0", "1 0", "ten"])
@pytest.mark.parametrize("column", ["onset", "duration", "confidence"])
def test_what_is_no_number(tmp_path: Path, text: str, column: str) -> None:
    cells = {"onset": "10", "duration": "5", "eventType": "sz", "confidence": "1"} | {column: text}
    with pytest.raises(EventsError, match=rf":2: column {column}, value '{text}': must be a number"):
        read_events(table(tmp_path, "\t".join(cells.values())), recording_s=100)


@pytest.mark.parametrize("text, value", [("1e1", 10), ("+10.", 10), (" 10 ", 10), (".5", 0.5), ("-0", 0)])
def test_what_is_a_number(tmp_path: Path, text: str, value: float) -> None:
    assert read_events(table(tmp_path, f"{text}\t5\tsz"), recording_s=100)[0].onset_s == value


# Columns and quotes


@pytest.mark.parametrize(
    "header, name",
    [
        ("onset\tduration\teventType\teventType", "eventtype"),
        ("onset\tduration\teventType\tEVENTTYPE", "eventtype"),
        ("onset\tduration\tonset\teventType", "onset"),
        ("onset\tduration\teventType\tnote\tNote", "note"),
    ],
)
def test_column_that_occurs_twice(tmp_path: Path, header: str, name: str) -> None:
    file = table(tmp_path, "10\t5\tsz\tbckg", header=header)
    with pytest.raises(EventsError, match=rf"a_events\.tsv:1: column '{name}' occurs more than once"):
        read_events(file, recording_s=100)


def test_columns_without_a_name_hold_nothing_of_ours(tmp_path: Path) -> None:
    file = table(tmp_path, "10\t5\tsz\t\t", header="onset\tduration\teventType\t\t")
    assert read_events(file, recording_s=100) == (Event(10, 5, "sz"),)


def test_a_quote_is_a_character_like_any_other(tmp_path: Path) -> None:
    header = f"{HEADER}\tdateTime\trecordingDuration"
    file = table(tmp_path, '10\t5\tsz\t0.5\t"Fp1\tn/a\t60', '20\t5\tsz\t0.5\tF3"\tn/a\t60', header=header)
    read = read_events_table(file, recording_s=100)
    assert [e.channels for e in read.events] == ['"Fp1', 'F3"']
    assert read.notes == ("the events table states 60 s of recording, the signal has 100 s",)


def test_a_quoted_code_is_refused_as_it_stands(tmp_path: Path) -> None:
    with pytest.raises(EventsError, match="""value '"sz"': is not a code"""):
        read_events(table(tmp_path, '10\t5\t"sz"'), recording_s=100)


def test_a_huge_cell_is_read(tmp_path: Path) -> None:
    names = ",".join(["Fp1"] * 50_000)
    assert read_events(table(tmp_path, f"10\t5\tsz\tn/a\t{names}"), recording_s=100)[0].channels == names
