"""Detectors side by side: what each retains of its event F1, and how sure its rank is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.intervals import CONFIDENCE, FLOOR, Floats, draw_positions, figure_of_sums
from pytest_robustseiz.registryfile import SCOPE, StoredRow, read_registry
from pytest_robustseiz.subjectcounts import SubjectCountsError, subject_table

BASELINE = "baseline"
NEEDED = (
    "timestamp_utc", "experiment_name", "category", "shift", "adapter", "output_dir", "event_f1", "event_fp_per_day",
    "event_tp", "event_fp", "event_reference", *SCOPE,
)  # fmt: skip


class LeaderboardError(ValueError):
    """Detectors cannot be compared; the message says what differs."""


@dataclass(frozen=True)
class Detector:
    """The latest rows of one detector in one registry.

    Attributes
    ----------
    name : str
        As the table shows it.
    baseline : StoredRow
        Of the unperturbed input.
    rows : dict of str to StoredRow
        By setting, without the baseline.
    """

    name: str
    baseline: StoredRow
    rows: dict[str, StoredRow]


@dataclass(frozen=True)
class Standing:
    """One line of the table. NaN where a figure is not defined or no interval can be given.

    Attributes
    ----------
    detector : str
        Name.
    rank, rank_low, rank_high : float
        1 is best; equal figures share a rank. The interval is that over subjects.
    retained, low, high : float
        Retained event F1: mean over shifts of the mean over settings of F1 / baseline F1.
    baseline_f1, baseline_fp_per_day : float
        Unperturbed.
    families : dict of str to float
        Retained event F1 over the shifts of each family.
    """

    detector: str
    rank: float
    rank_low: float
    rank_high: float
    retained: float
    low: float
    high: float
    baseline_f1: float
    baseline_fp_per_day: float
    families: dict[str, float]


@dataclass(frozen=True)
class Leaderboard:
    """The table, best first, and what to know about it in sentences."""

    standings: tuple[Standing, ...]
    notes: tuple[str, ...]


def retained_f1(f1: Floats, baseline: Floats, shifts: Sequence[str]) -> Floats:
    """Mean over shifts of the mean over settings of F1 / baseline F1: a long grid weighs no more than a short one.

    Parameters
    ----------
    f1 : ndarray of float64, shape (n_settings, ...)
        Event F1.
    baseline : ndarray of float64, shape (...)
        Event F1 of the unperturbed input.
    shifts : sequence of str
        Shift of each setting.

    Returns
    -------
    ndarray of float64, shape (...)
        NaN where a figure is, or where the baseline is 0.
    """
    ratios = np.divide(f1, baseline, out=np.full(np.shape(f1), np.nan), where=baseline > 0)
    own = [[i for i, other in enumerate(shifts) if other == shift] for shift in dict.fromkeys(shifts)]
    mean: Floats = np.mean([ratios[positions].mean(axis=0) for positions in own], axis=0)
    return mean


def read_detectors(paths: Sequence[Path]) -> list[Detector]:
    """Detectors of registries: of each the latest row per setting, in the scope of its latest row.

    Raises
    ------
    RegistryError
        When a file is not a registry.
    LeaderboardError
        When a detector has no baseline or nothing else.
    """
    groups = {(path, name): rows for path in paths for name, rows in _by_adapter(path).items()}
    names = [name for _, name in groups]
    return [
        _detector(name if names.count(name) == 1 else f"{name} ({path})", rows) for (path, name), rows in groups.items()
    ]


def _by_adapter(path: Path) -> dict[str, list[StoredRow]]:
    groups: dict[str, list[StoredRow]] = {}
    for row in sorted(read_registry(path, NEEDED), key=lambda row: row["timestamp_utc"]):
        groups.setdefault(row["adapter"], []).append(row)
    return groups


def _detector(name: str, rows: Sequence[StoredRow]) -> Detector:
    latest = {row["experiment_name"]: row for row in rows if row.scope == rows[-1].scope}
    baseline = latest.pop(BASELINE, None)
    if baseline is None or not latest:
        what = "no baseline" if baseline is None else "nothing but the baseline"
        raise LeaderboardError(f"{name}: {rows[-1].path} holds {what} in the scope of its latest row")
    return Detector(name, baseline, latest)


def differences(detectors: Sequence[Detector]) -> list[str]:
    """What is not the same for all detectors: scope, corpus, or settings; a sentence each."""
    first, *others = detectors
    found = []
    for other in others:
        pairs = zip(SCOPE, first.baseline.scope, other.baseline.scope, strict=True)
        found += [f"{name} of {first.name} is {a!r}, of {other.name} {b!r}" for name, a, b in pairs if a != b]
        unshared = sorted(set(first.rows) ^ set(other.rows))
        if unshared:
            found.append(f"only one of {first.name} and {other.name} has {_listed(unshared)}")
    return found


def rank_detectors(detectors: Sequence[Detector], *, seed: int = 0) -> Leaderboard:
    """Compare detectors over the settings that all of them have.

    Parameters
    ----------
    detectors : sequence of Detector
        As `read_detectors` gives them.
    seed : int
        Of the draws.

    Returns
    -------
    Leaderboard
        With 95 % intervals of retained F1 and of the rank by a paired bootstrap over subjects: in each draw all
        detectors are scored on the same subjects. Draws in which a figure is not defined are left out.

    Raises
    ------
    LeaderboardError
        When they share no setting.
    """
    labels = [label for label in detectors[0].rows if all(label in other.rows for other in detectors)]
    if not labels:
        raise LeaderboardError("the detectors share no setting")
    values = np.array([_retained(detector, labels) for detector in detectors])
    try:
        draws = _draws(detectors, labels, seed)
    except SubjectCountsError as error:
        empty = np.full((len(detectors), 2), np.nan)
        intervals, ranks, about = empty, empty, f"no interval can be given: {error}"
    else:
        tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
        intervals = np.quantile(draws, tails, axis=1).T
        ranks = np.quantile(_ranks(draws), tails, axis=1, method="inverted_cdf").T
        about = f"intervals: 95 %, paired bootstrap over subjects, {draws.shape[1]} draws"
    places = _ranks(values[:, np.newaxis])[:, 0]
    order = np.argsort(places, kind="stable")  # NaN last
    standings = [
        _standing(detectors[i], labels, float(places[i]), ranks[i], float(values[i]), intervals[i]) for i in order
    ]
    n_shifts = len({detectors[0].rows[label]["shift"] for label in labels})
    return Leaderboard(tuple(standings), (f"{len(labels)} settings of {n_shifts} shifts", about))


def _standing(
    detector: Detector, labels: Sequence[str], place: float, rank: Floats, value: float, ends: Floats
) -> Standing:
    families: dict[str, list[str]] = {}
    for label in labels:
        families.setdefault(detector.rows[label]["category"], []).append(label)
    return Standing(
        detector=detector.name,
        rank=place,
        rank_low=float(rank[0]),
        rank_high=float(rank[1]),
        retained=value,
        low=float(ends[0]),
        high=float(ends[1]),
        baseline_f1=detector.baseline.number("event_f1"),
        baseline_fp_per_day=detector.baseline.number("event_fp_per_day"),
        families={family: _retained(detector, own) for family, own in families.items()},
    )


def _retained(detector: Detector, labels: Sequence[str]) -> float:
    rows = [detector.rows[label] for label in labels]
    f1 = np.array([row.number("event_f1") for row in rows])
    baseline = np.array(detector.baseline.number("event_f1"))
    return float(retained_f1(f1, baseline, [row["shift"] for row in rows]))


def _ranks(figures: Floats) -> Floats:
    """Rank of each detector in each column: 1 + the number that is better; NaN has none."""
    better = (figures[np.newaxis] > figures[:, np.newaxis]).sum(axis=1)
    return np.where(np.isnan(figures), np.nan, 1.0 + better)


def _draws(detectors: Sequence[Detector], labels: Sequence[str], seed: int) -> Floats:
    """Retained F1 of each detector, shape (n_detectors, n_draws), in the draws in which all are defined."""
    tables = [_tables(detector, labels) for detector in detectors]
    subjects = tables[0][0]
    if any(other != subjects for other, _ in tables):
        raise SubjectCountsError("the detectors were not run on the same subjects")
    with_events = int((tables[0][1][0, 2] > 0).sum())
    if with_events < FLOOR:
        raise SubjectCountsError(
            f"{with_events} of {len(subjects)} subjects have reference events, at least {FLOOR} are needed"
        )
    weights = _weights(len(subjects), seed)
    shifts = [detectors[0].rows[label]["shift"] for label in labels]
    drawn = []
    for _, table in tables:
        f1 = figure_of_sums(np.moveaxis(table @ weights, 1, 0), "f1")
        drawn.append(retained_f1(f1[1:], f1[0], shifts))
    figures = np.array(drawn)
    defined = figures[:, ~np.isnan(figures).any(axis=0)]
    if not defined.size:
        raise SubjectCountsError("retained F1 is not defined in any draw")
    return defined


def _tables(detector: Detector, labels: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """Subjects, and their counts under the baseline and each setting, shape (1 + n_settings, 4, n_subjects)."""
    found = [subject_table(row) for row in (detector.baseline, *(detector.rows[label] for label in labels))]
    subjects = tuple(found[0])
    if any(tuple(other) != subjects for other in found):
        raise SubjectCountsError(f"settings of {detector.name} were not run on the same subjects")
    return subjects, np.stack([_as_array(table) for table in found])


def _as_array(table: Mapping[str, tuple[float, float, float, float]]) -> Floats:
    return np.array(list(table.values()), dtype=np.float64).T


def _weights(n_subjects: int, seed: int) -> npt.NDArray[np.int64]:
    """How often each subject is in each draw, shape (n_subjects, n_draws)."""
    return np.stack([np.bincount(drawn, minlength=n_subjects) for drawn in draw_positions(n_subjects, seed=seed)], 1)


def _listed(names: Iterable[str], *, most: int = 5) -> str:
    found = list(names)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
