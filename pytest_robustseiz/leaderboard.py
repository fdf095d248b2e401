"""Detectors side by side: what each retains of its headline, and how sure its rank is."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_robustseiz.corpusfacts import CorpusFacts
from pytest_robustseiz.intervals import CONFIDENCE, Floats, lacks_interval
from pytest_robustseiz.leaderboardrows import Detector, LeaderboardError
from pytest_robustseiz.reportdata import Entry
from pytest_robustseiz.retained import retained, retained_draws
from pytest_robustseiz.subjectcounts import SubjectCountsError, subject_table


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
        What is retained of event F1 or balanced accuracy, see `pytest_robustseiz.retained.retained`.
    baseline : dict of str to float
        Figures of the unperturbed input, by column.
    families : dict of str to float
        What is retained over the shifts of each family.
    """

    detector: str
    rank: float
    rank_low: float
    rank_high: float
    retained: float
    low: float
    high: float
    baseline: dict[str, float]
    families: dict[str, float]


@dataclass(frozen=True)
class Leaderboard:
    """The table, best first, and what to know about it in sentences."""

    standings: tuple[Standing, ...]
    notes: tuple[str, ...]


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
        With 95 % intervals of what is retained and of the rank by a paired bootstrap over subjects: in each draw all
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
    intervals, ranks, about = _uncertainty(detectors, labels, seed)
    places = _ranks(values[:, np.newaxis])[:, 0]
    order = np.argsort(places, kind="stable")  # NaN last
    standings = [
        _standing(detectors[i], labels, float(places[i]), ranks[i], float(values[i]), intervals[i]) for i in order
    ]
    n_shifts = len({detectors[0].rows[label]["shift"] for label in labels})
    remarks = [f"{one.name}: {text}" for one in detectors for text in one.view.board.remarks(_entry(one))]
    notes = (f"{len(labels)} settings of {n_shifts} shifts", *_corpus_notes(detectors), about, *remarks)
    return Leaderboard(tuple(standings), notes)


def _uncertainty(detectors: Sequence[Detector], labels: Sequence[str], seed: int) -> tuple[Floats, Floats, str]:
    """Intervals of what is retained and of the rank, shape (n_detectors, 2), and a sentence about them."""
    intervals, ranks = np.full((2, len(detectors), 2), np.nan)
    judged = [i for i, detector in enumerate(detectors) if not _nothing_to_retain(detector)]
    if not judged:
        return intervals, ranks, "no interval can be given: there is nothing to retain"
    try:
        draws = _draws([detectors[i] for i in judged], labels, seed)
    except SubjectCountsError as error:
        return intervals, ranks, f"no interval can be given: {error}"
    tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    intervals[judged] = np.quantile(draws, tails, axis=1).T
    ranks[judged] = np.quantile(_ranks(draws), tails, axis=1, method="inverted_cdf").T
    return intervals, ranks, f"intervals: 95 %, paired bootstrap over subjects, {draws.shape[1]} draws"


def _entry(detector: Detector) -> Entry:
    return Entry(detector.baseline.cells)


def _nothing_to_retain(detector: Detector) -> bool:
    return detector.view.nothing_to_retain(_entry(detector))


def _corpus_notes(detectors: Sequence[Detector]) -> list[str]:
    """The corpora by name, where rows have one; registries of older versions have no such columns."""
    names = ("corpus_name", "corpus_version", "corpus_split")
    told = [CorpusFacts(*(one.baseline.cells.get(name, "") for name in names)) for one in detectors]
    texts = dict.fromkeys(str(facts) for facts in told if str(facts))
    return [f"corpus: {'; '.join(texts)}"] if texts else []


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
        baseline={name: detector.baseline.number(name) for name in detector.view.board.baseline},
        families={family: _retained(detector, own) for family, own in families.items()},
    )


def _retained(detector: Detector, labels: Sequence[str]) -> float:
    if _nothing_to_retain(detector):
        return math.nan
    headline = detector.view.task.headline
    rows = [detector.rows[label] for label in labels]
    values = np.array([row.number(headline) for row in rows])
    baseline = np.array(detector.baseline.number(headline))
    return float(retained(values, baseline, [row["shift"] for row in rows]))


def _ranks(figures: Floats) -> Floats:
    """Rank of each detector in each column: 1 + the number that is better; NaN has none."""
    better = (figures[np.newaxis] > figures[:, np.newaxis]).sum(axis=1)
    return np.where(np.isnan(figures), np.nan, 1.0 + better)


def _draws(detectors: Sequence[Detector], labels: Sequence[str], seed: int) -> Floats:
    """What each detector retains, shape (n_detectors, n_draws), in the draws in which all are defined."""
    view = detectors[0].view
    tables = [_tables(detector, labels) for detector in detectors]
    subjects = tables[0][0]
    if any(other != subjects for other, _ in tables):
        raise SubjectCountsError("the detectors were not run on the same subjects")
    reason = lacks_interval(tables[0][1][:1], view.figure)
    if reason:
        raise SubjectCountsError(reason)
    shifts = [detectors[0].rows[label]["shift"] for label in labels]
    figures = np.array([retained_draws(table, shifts, view.figure, seed=seed) for _, table in tables])
    defined = figures[:, ~np.isnan(figures).any(axis=0)]
    if not defined.size:
        raise SubjectCountsError(f"retained {view.short} is not defined in any draw")
    return defined


def _tables(detector: Detector, labels: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """Subjects, and their counts under the baseline and each setting, shape (1 + n_settings, n_counts, n_subjects)."""
    found = [subject_table(row) for row in (detector.baseline, *(detector.rows[label] for label in labels))]
    subjects = tuple(found[0])
    if any(tuple(other) != subjects for other in found):
        raise SubjectCountsError(f"settings of {detector.name} were not run on the same subjects")
    return subjects, np.stack([_as_array(table) for table in found])


def _as_array(table: Mapping[str, tuple[float, ...]]) -> Floats:
    return np.array(list(table.values()), dtype=np.float64).T
