"""Who is tested and who is trained on, for corpora of any shape."""

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trainings import named

from pytest_robustseiz.corpus import RecordingFiles, Subject
from pytest_robustseiz.protocols import PROTOCOLS, SPLIT, ProtocolError, case_number, fixed_split
from pytest_robustseiz.protocolsplits import describe, in_time_order, subjects_tested, trained_on

DAY = datetime(2020, 1, 1)
HEADER = "onset\tduration\teventType\tconfidence\tchannels\tdateTime\trecordingDuration\n"
Starts = dict[RecordingFiles, datetime | None]


@st.composite
def shapes(draw: st.DrawFn, *, least: int = 1) -> dict[str, list[tuple[str, int, int | None]]]:
    """Session, run and hour of the start (None: not known) of each recording, by subject."""
    names = st.integers(1, 30).map(lambda n: f"sub-{n:02d}") | st.sampled_from(["sub-chb01", "sub-chb21", "sub-PN00"])
    recordings = st.lists(
        st.tuples(st.sampled_from(["", "ses-2", "ses-10"]), st.integers(0, 30), st.none() | st.integers(0, 9)),
        min_size=least, max_size=8, unique_by=lambda one: one[:2],
    )  # fmt: skip
    return draw(st.dictionaries(names, recordings, min_size=2, max_size=6))


@contextmanager
def corpus(shape: dict[str, list[tuple[str, int, int | None]]]) -> Iterator[tuple[tuple[Subject, ...], Starts]]:
    """Events tables of a shape, and the start of each recording."""
    starts: Starts = {}
    with tempfile.TemporaryDirectory() as folder:
        subjects = []
        for name in sorted(shape):
            found = []
            for session, run, hour in shape[name]:
                root = Path(folder) / f"{name}-{session}"
                root.mkdir(exist_ok=True)
                files = named(name, f"{name}_run-{run}", session=session, root=root)
                start = None if hour is None else DAY + timedelta(hours=hour)
                files.events.write_text(f"{HEADER}0\t9\tbckg\tn/a\tn/a\t{start or 'n/a'}\t9\n", encoding="utf-8")
                starts[files] = start
                found.append(files)
            subjects.append(Subject(name, tuple(sorted(found, key=lambda one: (one.folder, one.stem)))))
        yield tuple(subjects), starts


@given(shapes(least=2), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_by_protocol_1_the_earlier_recordings_train(
    shape: dict[str, list[tuple[str, int, int | None]]], chance: random.Random
) -> None:
    with corpus(shape) as (subjects, starts):
        mixed = [replace(one, recordings=tuple(chance.sample(one.recordings, len(one.recordings)))) for one in subjects]
        for own, again in zip(
            subjects_tested(PROTOCOLS["1"], subjects), subjects_tested(PROTOCOLS["1"], mixed), strict=True
        ):
            [whole] = [one for one in subjects if one.name == own.name]
            training, test = trained_on(PROTOCOLS["1"], subjects, own.name), own.recordings
            assert sorted(map(str, (*training, *test))) == sorted(map(str, whole.recordings))
            assert len(training) == max(1, 7 * len(whole.recordings) // 10)
            assert test
            for early in training:
                for late in test:
                    assert _comes_first(early, late, whole, starts)
            # Ties of one start are broken by name, so the order in which files were listed does not matter.
            assert again.recordings == test
            assert trained_on(PROTOCOLS["1"], mixed, own.name) == training


def _comes_first(early: RecordingFiles, late: RecordingFiles, whole: Subject, starts: Starts) -> bool:
    sessions = ["", "ses-2", "ses-10"]
    places = [next(place for place, name in enumerate(sessions) if _session(one) == name) for one in (early, late)]
    if places[0] != places[1]:
        return places[0] < places[1]
    began = {one: starts[one] for one in whole.recordings if one.folder == early.folder}
    runs = [int(one.stem.rpartition("-")[2]) for one in (early, late)]
    if None in began.values() or began[early] == began[late]:
        return runs[0] < runs[1]
    return str(began[early]) < str(began[late])


def _session(files: RecordingFiles) -> str:
    return files.folder.split("/")[1] if files.folder.count("/") == 2 else ""


@given(shapes(), st.integers(1, 6), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_by_protocol_2_nobody_is_trained_on_who_is_tested(
    shape: dict[str, list[tuple[str, int, int | None]]], most: int, chance: random.Random
) -> None:
    with corpus(shape) as (subjects, _):
        if {case_number(one.name) for one in subjects} <= {1, 21}:
            with pytest.raises(ProtocolError, match="needs at least 2 persons"):
                subjects_tested(PROTOCOLS["2"], subjects, most=most)
            return
        tested = subjects_tested(PROTOCOLS["2"], subjects, most=most)
        assert tested == subjects[:most]
        shuffled = chance.sample(subjects, len(subjects))
        for own in tested:
            training = trained_on(PROTOCOLS["2"], subjects, own.name)
            assert not set(training) & set(own.recordings)
            assert sorted(map(str, training)) == sorted(map(str, trained_on(PROTOCOLS["2"], shuffled, own.name)))
            numbers = {case_number(files.subject) for files in training}
            one_person = all((case_number(one.name) or 0) <= 24 for one in subjects)
            apart = {1, 21} if case_number(own.name) in (1, 21) and one_person else set()
            assert not numbers & apart
            expected = {one.name for one in subjects if one.name != own.name and case_number(one.name) not in apart}
            assert {files.subject for files in training} == expected
            assert len(training) == sum(len(one.recordings) for one in subjects if one.name in expected)


@given(shapes())
@settings(max_examples=20, deadline=None)
def test_by_the_fixed_split_each_subject_has_one_part(shape: dict[str, list[tuple[str, int, int | None]]]) -> None:
    assert sorted(number for part in SPLIT.values() for number in part) == list(range(1, 25))
    with corpus(shape) as (subjects, _):
        parts: list[Subject] = []
        for part in SPLIT:
            try:
                parts += fixed_split(subjects, part)
            except ProtocolError:
                assert not {case_number(one.name) for one in subjects} & set(SPLIT[part])
        assert len(parts) == len(set(parts))
        assert set(parts) == {one for one in subjects if (case_number(one.name) or 99) <= 24}
        for number in ("3", "4"):
            if {case_number(one.name) for one in subjects} & set(SPLIT["test"]):
                assert subjects_tested(PROTOCOLS[number], subjects) == fixed_split(subjects, "test")


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    runs = [named("sub-02", f"sub-02_run-{run}", root=tmp_path) for run in (1, 10, 11, 2, 3)]
    sessions = [named("sub-02", f"sub-02_{name}", session=name, root=tmp_path) for name in ("ses-10", "ses-9")]
    for files in (*runs, *sessions):
        files.events.write_text(HEADER, encoding="utf-8")
    stems = [files.stem.removeprefix("sub-02_") for files in in_time_order([*runs, *sessions])]
    assert stems == ["run-1", "run-2", "run-3", "run-10", "run-11", "ses-9", "ses-10"]


def test_a_part_of_chb_mit_has_one_person_twice_as_well() -> None:
    subjects = [Subject(name, (named(name, name),)) for name in ("sub-01", "sub-02", "sub-21")]
    for tested, rest in (("sub-21", {"sub-02"}), ("sub-01", {"sub-02"}), ("sub-02", {"sub-01", "sub-21"})):
        assert {files.subject for files in trained_on(PROTOCOLS["2"], subjects, tested)} == rest
    assert describe(PROTOCOLS["2"], subjects).endswith(
        "; sub-01 and sub-21 are one person, so none is trained on for another"
    )
    assert "one person" not in describe(PROTOCOLS["1"], subjects)
    # A number that CHB-MIT does not have says that this is another corpus.
    others = [*subjects, Subject("sub-25", (named("sub-25", "sub-25"),))]
    assert {files.subject for files in trained_on(PROTOCOLS["2"], others, "sub-21")} == {"sub-01", "sub-02", "sub-25"}
    with pytest.raises(ProtocolError, match=r"nothing is left to train a model for sub-01 on: .* at least 2 persons"):
        subjects_tested(PROTOCOLS["2"], [subjects[0], subjects[2]])


def test_one_recording_cannot_be_split(tmp_path: Path) -> None:
    one, many = Subject("sub-03", (named("sub-03", "a", root=tmp_path),)), []
    for run in (1, 2):
        many.append(named("sub-02", f"run-{run}", root=tmp_path))
        many[-1].events.write_text(HEADER, encoding="utf-8")
    subjects = [Subject("sub-02", tuple(many)), one, replace(one, name="sub-04")]
    with pytest.raises(ProtocolError, match="sub-03, sub-04: one recording each, and patient_specific needs one"):
        subjects_tested(PROTOCOLS["1"], subjects)
    # In subset mode only those count that are evaluated.
    assert [own.name for own in subjects_tested(PROTOCOLS["1"], subjects, most=1)] == ["sub-02"]


def test_a_table_without_order_is_named(tmp_path: Path) -> None:
    files = [named("sub-02", f"run-{run}", root=tmp_path) for run in (1, 2)]
    for one in files:
        one.events.write_text(f"{HEADER}0\t9\tbckg\tn/a\tn/a\tyesterday\t9\n", encoding="utf-8")
    with pytest.raises(ProtocolError, match=r"run-1_events.tsv: no order in time can be had .* value 'yesterday'"):
        in_time_order(files)
