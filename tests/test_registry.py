"""The registry: columns, locked appends, values as they are."""

import csv
import math
import multiprocessing
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from registries import write_registry

from pytest_robustseiz.change import InputChange
from pytest_robustseiz.curves import MetricCurve, RobustnessCurve
from pytest_robustseiz.intervals import Figure, figure_interval
from pytest_robustseiz.registry import COLUMNS, RegistryError, RunFacts, append, check_registry, make_row
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.shifts import paper_grid

PUBLISHED = (  # noqa: SIM905
    "timestamp_utc, experiment_name, category, shift, data_dir, output_dir, params_json, "
    "sample_sensitivity, sample_precision, sample_f1, sample_fp_per_day, event_sensitivity, event_precision, event_f1, "
    "event_fp_per_day, lead_mean_steps, lead_median_steps, lead_p90_steps, lead_min_steps, lead_max_steps, "
    "lag_mean_steps, lag_median_steps, lag_p90_steps, lag_min_steps, lag_max_steps, ontime_count, onset_tp_count, "
    "mcd_mean_agreement, mcd_seizure_agreement, mcd_background_agreement, mcd_fp_agreement, mcd_fn_agreement, "
    "mcd_file_count"
).split(", ")
# What came last, so that columns keep their places.
LATER = ("corpus_name", "corpus_version", "corpus_split", "training_subjects", "reading_json")
FACTS = RunFacts(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "/data", "/out", "subset", 7)
AWGN = SettingInfo("awgn-snr_db_0", "awgn", "noise", '{"snr_db": 0.0}')


def recording(*, event: Counts, sample: Counts, delays: tuple[int, ...], change: InputChange) -> RecordingResult:
    return RecordingResult(
        folder="sub-01/eeg", stem="sub-01_run-00", content="c0ffee", duration_s=event.duration_s, start=None,
        seizures=event.reference, sample=sample, event=event, delays=delays, change=change,
        figures={"measured_snr_db": 1.0}, notes=(),
    )  # fmt: skip


def experiment() -> ExperimentResult:
    one = recording(
        event=Counts(2, 1, 4, 43200.0),
        sample=Counts(300, 100, 400, 43200.0),
        delays=(-256, 512),
        change=InputChange(90.0, 360.0, 5, 10),
    )
    two = recording(
        event=Counts(1, 0, 1, 43200.0),
        sample=Counts(100, 0, 100, 43200.0),
        delays=(0,),
        change=InputChange(0.0, 0.0, 0, 0),
    )
    return ExperimentResult(AWGN, (CaseResult("sub-01", AWGN, (one,)), CaseResult("sub-02", AWGN, (two,))))


def row() -> dict[str, object]:
    return make_row(
        experiment(), adapter='a "quoted", name\nof two lines', fingerprint="f" * 64, corpus="c", facts=FACTS
    )


def test_columns_start_as_published() -> None:
    assert list(COLUMNS[: len(PUBLISHED)]) == PUBLISHED
    assert COLUMNS[-len(LATER) :] == LATER
    assert len(set(COLUMNS)) == len(COLUMNS)


def test_a_row_reads_back_with_the_values_of_a_hand_computation(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    append(path, [row()])
    table = pd.read_csv(path)
    assert list(table.columns) == list(COLUMNS)
    values = table.iloc[0]
    # pooled: 3 of 5 found, 1 false positive in 24 h
    assert values["event_sensitivity"] == pytest.approx(3 / 5)
    assert values["event_precision"] == pytest.approx(3 / 4)
    assert values["event_f1"] == pytest.approx(6 / 9)
    assert values["event_fp_per_day"] == pytest.approx(1.0)
    # subjects: sensitivity 1/2 and 1, F1 4/(4 + 1 + 2) and 1
    assert values["subject_mean_event_sensitivity"] == pytest.approx(0.75)
    assert values["subject_mean_event_f1"] == pytest.approx((4 / 7 + 1) / 2)
    assert values["sample_sensitivity"] == pytest.approx(0.8)
    assert (values["lead_mean_steps"], values["lag_mean_steps"]) == (256, 512)
    assert (values["ontime_count"], values["onset_tp_count"]) == (1, 3)
    assert values["change_rms_uv"] == pytest.approx(3.0)
    assert values["change_relative"] == pytest.approx(0.5)
    assert values["change_share"] == pytest.approx(0.5)
    assert values["hours"] == pytest.approx(24)
    assert values["adapter"] == 'a "quoted", name\nof two lines'
    assert values["timestamp_utc"] == "2026-01-02T03:04:05Z"


def test_what_is_not_a_number_is_written_so_and_a_stage_that_is_off_is_empty(tmp_path: Path) -> None:
    silent = recording(
        event=Counts(0, 0, 0, 60.0), sample=Counts(0, 0, 0, 60.0), delays=(), change=InputChange(0.0, 1.0, 0, 1)
    )
    result = ExperimentResult(AWGN, (CaseResult("sub-01", AWGN, (silent,)),))
    append(tmp_path / "r.csv", [make_row(result, adapter="a", fingerprint="", corpus="c", facts=FACTS)])
    with (tmp_path / "r.csv").open(newline="") as file:
        [values] = csv.DictReader(file)
    assert values["event_f1"] == values["lead_mean_steps"] == "nan"
    assert values["mcd_mean_agreement"] == values["T"] == ""
    assert values["event_fp_per_day"] == "0.0"
    assert math.isnan(float(values["event_sensitivity"]))


def test_intervals_are_those_over_subjects_and_empty_where_there_is_none(tmp_path: Path) -> None:
    cases, counts = [], {}
    for i in range(7):
        event = Counts(i % 3, i % 2, 2, 3600.0)
        one = recording(event=event, sample=event, delays=(), change=InputChange(0.0, 1.0, 0, 1))
        cases.append(CaseResult(f"sub-{i}", AWGN, (one,)))
        counts[f"sub-{i}"] = event
    append(
        tmp_path / "r.csv",
        [
            make_row(ExperimentResult(AWGN, tuple(some)), adapter="a", fingerprint="", corpus="c", facts=FACTS)
            for some in (cases, cases[:4])
        ],
    )
    many, few = (row for _, row in pd.read_csv(tmp_path / "r.csv").iterrows())
    names: tuple[Figure, ...] = ("f1", "sensitivity", "fp_per_day")
    for name in names:
        expected = figure_interval(counts, name, seed=FACTS.seed)
        assert (many[f"event_{name}_ci_low"], many[f"event_{name}_ci_high"]) == (expected.low, expected.high)
        assert expected.low < many[f"event_{name}"] < expected.high
    with (tmp_path / "r.csv").open(newline="") as file:
        _, cells = csv.DictReader(file)
    assert {cells[name] for name in COLUMNS if "_ci_" in name} == {""}
    assert few["subjects"] == 4


def append_many(path: Path, count: int) -> None:
    for _ in range(count):
        append(path, [row()])


def test_two_processes_append_to_one_new_registry(tmp_path: Path) -> None:
    path = tmp_path / "new" / "r.csv"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=append_many, args=(path, 200)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(pd.read_csv(path)) == 400
    assert path.read_text().count("timestamp_utc") == 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("a,b\n1,2\n", "is not a registry of this version .*unknown: a, b"),
        (",".join(COLUMNS[:-1]) + "\n", "missing columns: reading_json"),
        (",".join(COLUMNS) + "\n2026", "ends in the middle of a row"),
    ],
)
def test_a_file_that_is_no_registry_is_left_alone(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(RegistryError, match=message):
        check_registry(path)
    with pytest.raises(RegistryError, match=message):
        append(path, [row()])
    assert path.read_text() == text


def test_a_row_with_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="differ in surprise"):
        append(tmp_path / "r.csv", [row() | {"surprise": 1}])
    assert not (tmp_path / "r.csv").exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    append(tmp_path / "real.csv", [row()])
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    append(tmp_path / "link.csv", [row()])
    assert (tmp_path / "link.csv").is_symlink()
    assert len(pd.read_csv(tmp_path / "real.csv")) == 2


def test_every_curve_can_be_rebuilt_from_the_registry(tmp_path: Path) -> None:
    grid = [setting for setting in paper_grid() if setting.name in ("awgn", "drop_named", "car")]
    found = {label: [9 - i % 3, i % 7, 8, 7, 6] for i, label in enumerate(["baseline", *(s.label for s in grid)])}
    baseline, *experiments = write_registry(tmp_path / "r.csv", grid, found)
    table = pd.read_csv(tmp_path / "r.csv").set_index("experiment_name")
    for shift, rows in table.drop("baseline").groupby("shift"):
        curve = RobustnessCurve(str(shift), [one for one in experiments if one.setting.shift == shift], baseline)
        for metric in (name for name in baseline.scores.metrics() if not name.startswith("mcd_")):
            rebuilt = MetricCurve(metric, tuple(rows.index), tuple(rows[metric]), float(table[metric]["baseline"]))
            assert rebuilt.labels == curve[metric].labels
            assert rebuilt.values == pytest.approx(curve[metric].values, rel=1e-12, nan_ok=True), metric
            assert rebuilt.baseline == pytest.approx(curve[metric].baseline, rel=1e-12, nan_ok=True)
            assert rebuilt.area() == pytest.approx(curve[metric].area(), rel=1e-12, nan_ok=True)
