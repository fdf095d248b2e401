"""Judging scores against limits, in sentences that a person can act on."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_robustseiz.adapters import AttackOutcome
from pytest_robustseiz.figuretexts import number
from pytest_robustseiz.paired import Paired
from pytest_robustseiz.results import Scores
from pytest_robustseiz.tasks import Basis, Rule

SLACK = 1e-9  # equality passes, also where 0.8 - 0.7 is not 0.1 in binary


@dataclass(frozen=True)
class Verdict:
    """Outcome of a check.

    Attributes
    ----------
    failures : tuple of str
        One line per limit that was passed.
    judged, without_meaning : tuple of str
        Names of the limits that were judged, and of those that have no meaning here.
    lacking : tuple of str
        What is not there that the latter need.
    """

    failures: tuple[str, ...]
    judged: tuple[str, ...]
    without_meaning: tuple[str, ...]
    lacking: tuple[str, ...]


def judge(
    scores: Scores,
    baseline: Scores,
    limits: Mapping[str, float],
    *,
    sfreq: float,
    pooled: bool,
    paired: Paired | None = None,
) -> Verdict:
    """Judge scores against limits.

    A figure that is not a number fails its limit; so does an attack that did not do what it is for, since its scores
    would look robust and say nothing. One exception: a single subject may lack what a figure rests on, such as seizures
    for the sensitivity, or interictal time for false alarms per hour, whatever the model says. Limits on such figures
    say nothing about it; they are named in `without_meaning`.

    Parameters
    ----------
    scores, baseline : Scores
        Under the setting, and unperturbed.
    limits : mapping of str to float
        By the names of the task's rules.
    sfreq : float
        Rate of the delays in Hz.
    pooled : bool
        Whether the scores are those of the whole scope.
    paired : Paired, optional
        The same by subject: gives drops of pooled figures their interval, and may judge them by it.

    Returns
    -------
    Verdict
    """
    failures, judged, without_meaning, lacking = [], [], [], []
    for name, limit in limits.items():
        rule = scores.task.rules[name]
        if not pooled and _lacks(scores, rule.basis):
            without_meaning.append(name)
            lacking.append(rule.basis)
            continue
        judged.append(name)
        value, reference = figure(scores, rule.column, sfreq), figure(baseline, rule.column, sfreq)
        if not _within(rule.sense, value, reference, limit):
            found = paired.interval(name) if paired else None
            if paired is None or not paired.excuses(found, limit + SLACK):
                about = paired.describe(found) if paired else ""
                failures.append(_sentence(rule, name, value, reference, limit, scores) + about)
    if judged and scores.outcome is not None and scores.outcome.verdict in ("nothing", "contrary"):
        failures.append(attack_sentence(scores.outcome))
    return Verdict(tuple(failures), tuple(judged), tuple(without_meaning), tuple(dict.fromkeys(lacking)))


def _lacks(scores: Scores, basis: Basis) -> bool:
    """Whether a figure that rests on this is 0/0 whatever the model says."""
    found = scores.prediction
    if not basis or found is None:
        return bool(basis) and scores.seizures == 0
    amounts: dict[Basis, float] = {
        "seizures": found.seizures,
        "seizures with a preictal part": found.with_preictal,
        "interictal time": found.interictal_s,
        "scored windows": found.n_windows,
    }
    return amounts[basis] == 0


def figure(scores: Scores, column: str, sfreq: float) -> float:
    """One figure by the name of its registry column; the mean Lag in seconds by "lag_s".

    The mean Lag is 0 where every detection came early or on time, and NaN where nothing was detected.
    """
    if column != "lag_s":
        return scores.metrics()[column]
    onsets = scores.onsets
    late = onsets.tp_count and not math.isnan(onsets.lag_mean)
    return onsets.lag_mean / sfreq if late else (0.0 if onsets.tp_count else math.nan)


def _within(sense: str, value: float, reference: float, limit: float) -> bool:
    # Every comparison with NaN is false, so a figure that is not a number fails.
    if sense == "drop":
        return reference - value <= limit + SLACK
    if sense == "increase":
        return value - reference <= limit + SLACK
    if sense == "least":
        return value >= limit - SLACK
    return value <= limit + SLACK


def _sentence(rule: Rule, name: str, value: float, reference: float, limit: float, scores: Scores) -> str:
    counts = _agreement_basis(scores) if rule.column.startswith("mcd_") else _basis(scores)
    change = {
        "drop": f"dropped by {number(reference - value)}",
        "increase": f"rose by {number(value - reference)}",
    }.get(rule.sense)
    stated = f"limit {name}={limit:g} ({counts})"
    if rule.sense in ("drop", "increase"):
        return f"{rule.title} {change}: baseline {number(reference)}, now {number(value)}, {stated}"
    return f"{rule.title} is {number(value)} (baseline {number(reference)}), {stated}"


def _basis(scores: Scores) -> str:
    found = scores.prediction
    if found is not None:
        return (
            f"{found.seizures - found.missed} of {found.seizures} seizures noticed, {found.alarms} false alarms in "
            f"{found.interictal_s / 3600:.2f} h between seizures"
        )
    event = scores.event
    return (
        f"{event.tp} of {event.reference} reference events found, "
        f"{event.fp} false positives in {event.duration_s / 3600:.2f} h"
    )


def _agreement_basis(scores: Scores) -> str:
    if scores.agreement is None:
        return "the agreement stage did not run: it is off in full mode without --robustseiz-mcd=on, and needs dropout"
    return f"mean over {scores.agreement.files} recordings"


def attack_sentence(outcome: AttackOutcome) -> str:
    """What an attack achieved, for one that failed."""
    what = "achieved nothing" if outcome.verdict == "nothing" else "got the contrary of what it is for"
    return (
        f"the attack {what}, so its scores say nothing about robustness: mean probability {outcome.mean_before:.4f} "
        f"before and {outcome.mean_after:.4f} after, objective better in {outcome.improved} and worse in "
        f"{outcome.worsened} of {outcome.windows} windows, {outcome.without_gradient} of them without a gradient"
    )
