"""Accuracy: counts of what was found, and the scores that follow from them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_robustseiz.scoring.events import Interval
from pytest_robustseiz.scoring.library import score_events, score_samples
from pytest_robustseiz.scoring.presets import SZCORE, Preset


@dataclass(frozen=True)
class Counts:
    """What scoring counted, over any amount of recorded time; counts add up.

    Parameters
    ----------
    tp : int
        Reference samples, or events, that were found.
    fp : int
        Hypothesis samples, or events, that match no reference.
    reference : int
        Reference samples, or events, in all.
    duration_s : float
        Recorded time, seconds.

    Notes
    -----
    A score that divides 0 by 0 is NaN, never 0: it does not apply.
    """

    tp: int
    fp: int
    reference: int
    duration_s: float

    def __post_init__(self) -> None:
        """Check the counts."""
        if not 0 <= self.tp <= self.reference:
            raise ValueError(f"tp: expected 0 to the {self.reference} of the reference, got {self.tp}")
        if self.fp < 0:
            raise ValueError(f"fp: expected 0 or more, got {self.fp}")
        if not (math.isfinite(self.duration_s) and self.duration_s >= 0):
            raise ValueError(f"duration_s: expected seconds, 0 or more, got {self.duration_s}")

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.tp + other.tp,
            self.fp + other.fp,
            self.reference + other.reference,
            self.duration_s + other.duration_s,
        )

    @property
    def fn(self) -> int:
        """Reference samples, or events, that were missed."""
        return self.reference - self.tp

    @property
    def sensitivity(self) -> float:
        """Share of the reference that was found; NaN without a reference."""
        return ratio(self.tp, self.reference)

    @property
    def precision(self) -> float:
        """Share of the detections that are right, tp / (tp + fp); NaN when nothing was detected."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> float:
        """The ratio 2 tp / (2 tp + fp + fn); 0 when only one side has events, NaN when neither has."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float:
        """The ratio tp / (tp + fp + fn), which needs no true negatives; NaN when all three are 0."""
        return ratio(self.tp, self.tp + self.fp + self.fn)

    @property
    def fp_per_day(self) -> float:
        """False positives per 24 hours of recorded time; NaN without recorded time."""
        return ratio(self.fp, self.duration_s / 3600 / 24)


ZERO = Counts(0, 0, 0, 0.0)


def sample_counts(
    reference: Iterable[Interval], hypothesis: Iterable[Interval], *, sfreq: float, n_samples: int
) -> Counts:
    """Count samples at the signal's rate, by timescoring's `SampleScoring`.

    Parameters
    ----------
    reference, hypothesis : iterable of (start_s, stop_s)
        Seconds, in any order; they may overlap, and are clipped to the recording.
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.

    Returns
    -------
    Counts
        Of samples.

    Raises
    ------
    ValueError
        When an event is not finite, does not stop after its start or lies wholly outside the recording; when `sfreq`
        or `n_samples` is not positive.
    """
    score = score_samples(reference, hypothesis, sfreq=sfreq, n_samples=n_samples)
    return Counts(int(score.tp), int(score.fp), int(score.refTrue), float(n_samples / sfreq))


def event_counts(
    reference: Iterable[Interval],
    hypothesis: Iterable[Interval],
    *,
    sfreq: float,
    n_samples: int,
    preset: Preset = SZCORE,
) -> Counts:
    """Count events, by timescoring's `EventScoring`.

    Parameters
    ----------
    reference, hypothesis : iterable of (start_s, stop_s)
        Seconds, in any order; they may overlap, and are clipped to the recording and rounded to its samples.
    sfreq : float
        Samples per second.
    n_samples : int
        Length of the recording.
    preset : Preset
        The rules.

    Returns
    -------
    Counts
        Of events after merging and splitting. A long event that was split counts once per piece.

    Raises
    ------
    ValueError
        When an event is not finite, does not stop after its start or lies wholly outside the recording; when `sfreq`
        or `n_samples` is not positive; when the recording is too short to have a sample at 10 Hz.

    Notes
    -----
    timescoring rounds to 10 Hz. An event of less than 0.1 s can round to nothing there: as a hypothesis it detects
    nothing and is a false positive even beside a detected reference; as a reference without tolerance it is missed.
    """
    score = score_events(reference, hypothesis, sfreq=sfreq, n_samples=n_samples, preset=preset)
    return Counts(int(score.tp), int(score.fp), int(score.refTrue), float(n_samples / sfreq))


def ratio(part: float, whole: float) -> float:
    """One over the other, NaN for 0/0."""
    return part / whole if whole else math.nan
