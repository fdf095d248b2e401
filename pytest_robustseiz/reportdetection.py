"""What pages and documents show of the detection task."""

import math
from collections.abc import Iterable, Iterator, Sequence

from pytest_robustseiz.figuretexts import shown
from pytest_robustseiz.intervals import FLOOR, Floats
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.reportonsets import onset_figure
from pytest_robustseiz.reportview import Board, Card, Column, Fields, Page, View
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.tasks import DETECTION

_SCORES = ("sensitivity", "precision", "F1", "FP/24h")
_COUNTS = tuple(f"{level}_{name}" for level in ("sample", "event") for name in ("tp", "fp", "reference"))


def _scores(entries: Sequence[Entry]) -> Iterator[str]:
    for level in ("sample", "event"):
        counts = _pooled(entries, level)
        yield from (shown(value) for value in (counts.sensitivity, counts.precision, counts.f1, counts.fp_per_day))


def _pooled(entries: Iterable[Entry], level: str) -> Counts:
    total = Counts(0, 0, 0, 0.0)
    for entry in entries:
        tp, fp, reference = (int(entry.value(f"{level}_{name}")) for name in ("tp", "fp", "reference"))
        total += Counts(tp, fp, reference, entry.value("hours") * 3600)
    return total


def _too_few(tables: Floats) -> str:
    having = int((tables[0, 2] > 0).sum())
    return "" if having >= FLOOR else f"{having} subjects have seizures, at least {FLOOR} are needed"


def _scoring(entry: Entry) -> Fields:
    yield "Version of timescoring", entry.text("timescoring_version") or None


def _timing(chapter: Chapter) -> Fields:
    reported = any(not math.isnan(entry.value("onset_tp_count")) for entry in chapter.all)
    yield "Lead and Lag reported", "yes" if reported else "no"
    yield "Onset delays", "of true positives, on merged events before splitting, in samples at 256 Hz"


PAGE = Page(
    scope=lambda entry: entry.text("mode"),
    meaning=lambda _: (
        "Retained event F1 is the mean over shifts of the mean over their settings of event F1 / baseline event F1: "
        "1 means that nothing was lost."
    ),
    statements=lambda _: (),
    heat={
        "event_f1": Column("Event F1"),
        "event_sensitivity": Column("Event sensitivity"),
        "event_precision": Column("Event precision"),
        "event_fp_per_day": Column("Event FP/24h", 1),
        "sample_f1": Column("Sample F1"),
        "lead_mean_steps": Column("Mean Lead, s", 1),
        "lag_mean_steps": Column("Mean Lag, s", 1),
    },
    boxes={
        "event_f1": Column("Event F1"),
        "event_sensitivity": Column("Event sensitivity"),
        "event_precision": Column("Event precision"),
        "event_fp_per_day": Column("Event FP/24h"),
    },
    curves={"event_f1": "Event F1", "event_sensitivity": "Event sensitivity", "event_fp_per_day": "Event FP/24h"},
    levels=lambda _metric, _chapter: {},
    timing=onset_figure,
    worst={
        "event_sensitivity": Column("Sensitivity"),
        "event_precision": Column("Precision"),
        "event_fp_per_day": Column("FP/24h", 1),
    },
    settings={
        "event_f1": Column("Event F1"),
        "event_sensitivity": Column("Sensitivity"),
        "event_precision": Column("Precision"),
        "event_fp_per_day": Column("FP/24h", 1),
        "sample_f1": Column("Sample F1"),
        "lead_mean_steps": Column("Mean Lead, s", 1),
        "lead_median_steps": Column("Median Lead, s", 1),
        "lag_mean_steps": Column("Mean Lag, s", 1),
        "lag_median_steps": Column("Median Lag, s", 1),
        "ontime_count": Column("On time", 0),
        "onset_tp_count": Column("Detected", 0),
    },
    flags={},
    subjects_need="event F1 needs seizures",
    no_subjects=(
        "Scores of single subjects are not known: a registry holds pooled rows only, and the output folders that it "
        "names have no results.csv for the baseline."
    ),
    over_subjects=lambda _: iter(()),
    pictures=(
        "The worst setting of each of the three worst shifts, attacks left out; the recording that lost most events."
    ),
    no_pictures="No setting but attacks lost an event that the baseline had right, so there is none to show.",
    identity=(
        "timestamp_utc", "data_dir", "corpus_name", "corpus_version", "corpus_split", "corpus_fingerprint",
        "output_dir", "mode", "adapter", "adapter_fingerprint", "training_subjects", "seed", "T", "tau",
        "scoring_preset", "package_version", "timescoring_version",
    ),
)  # fmt: skip

CARD = Card(
    results={
        "event_f1": "Event F1",
        "event_fp_per_day": "Event FP/24h",
        "event_accuracy": "Event accuracy",
        "event_sensitivity": "Event sensitivity",
        "lead_mean_steps": "Mean Lead, s",
        "lag_mean_steps": "Mean Lag, s",
        "onset_tp_count": "Onsets detected",
        "ontime_count": "Onsets on time",
        "mcd_mean_agreement": "Mean phi",
    },
    meaning=(
        "For each shift the least and the largest value over its settings; then the mean of the least and the mean of "
        "the largest over the shifts of the family. Event accuracy is tp / (tp + fp + fn)."
    ),
    heads=tuple(f"{level} {name}" for level in ("Sample", "Event") for name in _SCORES),
    scores=_scores,
    stages="accuracy, onset timing",
    evaluation=lambda _: (),
    blocks=lambda _chapter, _corpus: (),
    titles={},
    disjoint=lambda _: None,
    scoring=_scoring,
    timing=_timing,
)

VIEW = View(
    task=DETECTION,
    noun="Detector",
    figure="f1",
    short="F1",
    too_few=_too_few,
    needed=("event_f1", "event_fp_per_day", *_COUNTS),
    group=(),
    no_subjects=(
        "have no results.csv or onset.csv in their output folder: scores of subjects, and single onset delays, are "
        "not known."
    ),
    nothing_to_retain=lambda _: False,  # of an F1 of 0 no share is defined
    page=PAGE,
    card=CARD,
    board=Board(
        retained="retained_f1",
        baseline={
            "event_f1": ("baseline_f1", Column("baseline F1")),
            "event_fp_per_day": ("baseline_fp_per_day", Column("FP/24h", 1)),
        },
        needed=("event_f1", "event_fp_per_day", "event_tp", "event_fp", "event_reference"),
        alike=(),
        remarks=lambda _: (),
    ),
)
