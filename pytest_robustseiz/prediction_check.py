"""What is wrong with a row of the prediction task's registry."""

from collections.abc import Iterator, Mapping

from pytest_robustseiz import registrycells
from pytest_robustseiz.prediction_subjects import RowSubjectsError, subjects_of, summary_problems
from pytest_robustseiz.prediction_tally import Tally, lead_of, sum_problems
from pytest_robustseiz.predictionrow import PREDICTION_COLUMNS, preset_name
from pytest_robustseiz.protocols import PROTOCOLS
from pytest_robustseiz.registrycells import ENDS, Cells, alike, number, one_of
from pytest_robustseiz.registryfile import StoredRow
from pytest_robustseiz.scoring import CLASSES, PREDICTION_METRICS, PREICTAL_S, prediction_scores
from pytest_robustseiz.scoring.prediction_confusion import as_confusion

CONFUSION = tuple(f"true_{true}_pred_{predicted}" for true in CLASSES for predicted in CLASSES)
_LEADS = tuple(name for name in PREDICTION_METRICS if name.startswith("lead_time_"))
_NO_SHARES = ("fpr_per_h", *_LEADS)
_WHO = frozenset(name for name in PREDICTION_COLUMNS if name.startswith(("subject_hardest_", "subject_easiest_")))

CELLS = Cells(
    columns=PREDICTION_COLUMNS,
    may_be_empty=registrycells.MAY_BE_EMPTY
    | {name for name in PREDICTION_COLUMNS if name.endswith(ENDS)}
    | {"protocol", "degenerate_class"}
    | _WHO,
    text=registrycells.TEXT | _WHO | {"labelling"},
    whole=registrycells.WHOLE
    | {*CONFUSION, "lead_time_count", "n_windows", "alarms"}
    | {"seizures_scored", "seizures_with_preictal", "missed", "warned"},
    shares=registrycells.SHARES
    | {name for name in PREDICTION_METRICS if name not in _NO_SHARES}
    | {
        name
        for name in PREDICTION_COLUMNS
        if name.startswith(("subject_", "balanced_", "miss_")) and not name.endswith("_fpr_per_h")
    }
    | {"chance_p_value"},
    rules={
        **dict.fromkeys(_LEADS, number(PREICTAL_S)),
        "degenerate": one_of("0", "1"),
        "degenerate_class": one_of(*CLASSES),
        "protocol": one_of(*PROTOCOLS),
    },
)


def contradictions(row: StoredRow) -> Iterator[str]:
    """What of a row does not follow from its own counts, or not from those of its subjects."""
    tally = tally_of_row(row)
    yield from _figures(row, tally)
    yield from tally.contradictions()
    yield from _scope(row)
    try:
        subjects = subjects_of(row)
    except RowSubjectsError as error:
        yield str(error)
        return
    yield from _subjects(row, tally, subjects)


def tally_of_row(row: StoredRow) -> Tally:
    """The counts of a row whose cells are of the right kind."""
    cells = [int(row[name]) for name in CONFUSION]
    return Tally(
        confusion=as_confusion([cells[0:3], cells[3:6], cells[6:9]]),
        alarms=int(row["alarms"]),
        seizures=int(row["seizures_scored"]),
        missed=int(row["missed"]),
        warned=int(row["warned"]),
        lead=lead_of({name: row.number(name) for name in _LEADS}, int(row["lead_time_count"])),
    )


def _figures(row: StoredRow, tally: Tally) -> Iterator[str]:
    expected = tally.figures() | {"n_windows": tally.n_windows, "interictal_h": tally.interictal_h}
    for name, value in expected.items():
        if not alike(row.number(name), value):
            yield f"{name} is {row.number(name):g}, but the row's counts give {value:g}"
    said = prediction_scores(tally.confusion).degenerate_class or ""
    if (row["degenerate"], row["degenerate_class"]) != (str(int(bool(said))), said):
        yield (
            f"degenerate is {row['degenerate']} ({row['degenerate_class'] or 'no class'}), but the row's counts give "
            f"{int(bool(said))} ({said or 'no class'})"
        )


def _scope(row: StoredRow) -> Iterator[str]:
    """Counts that are more than what there is."""
    for name, most, of in (
        ("n_windows", row.number("hours") * 3600, "seconds of the recordings"),
        ("seizures_scored", row.number("seizures"), "seizures of the recordings"),
        ("seizures_with_preictal", row.number("seizures_scored"), "of seizures_scored"),
        ("warned", row.number("seizures_with_preictal"), "of seizures_with_preictal"),
        ("chance_warned", row.number("seizures_with_preictal"), "of seizures_with_preictal"),
    ):
        if row.number(name) > most * (1 + registrycells.CLOSE):
            yield f"{name} is {row[name]}, more than the {most:g} {of}"
    preset = preset_name(row["protocol"])
    if row["scoring_preset"] != preset:
        yield f"scoring_preset is {row['scoring_preset']!r}, but the row's protocol gives {preset!r}"


def _subjects(row: StoredRow, tally: Tally, subjects: Mapping[str, Tally]) -> Iterator[str]:
    if len(subjects) != row.number("subjects"):
        yield f"per_subject_json has {len(subjects)} subjects, but subjects is {row['subjects']}"
    for name, own in subjects.items():
        yield from (f"per_subject_json, {name}: {problem}" for problem in own.contradictions())
    yield from (f"per_subject_json: {problem}" for problem in sum_problems(tally, list(subjects.values())))
    yield from summary_problems(row, subjects)
