"""What shifts, attacks and stochastic passes came to, in lines for the end of a run."""

import math
from collections.abc import Mapping, Sequence

from pytest_robustseiz.gates import attack_sentence
from pytest_robustseiz.results import ExperimentResult, RecordingResult, Scores

_UNITS = {"db": "dB", "hz": "Hz", "s": "s", "uv": "uV"}
_ABBREVIATIONS = {"edf": "EDF", "rms": "RMS", "snr": "SNR"}


def changed_nothing(scores: Scores) -> bool:
    """Whether a setting left what the detector saw as it was."""
    if scores.outcome is not None:
        return scores.outcome.largest_change == 0
    # Re-referencing what has that reference already changes the last digit only.
    return scores.change.changed == 0 or scores.change.relative < 1e-6


def change_text(experiment: ExperimentResult) -> str:
    """How large the change of the input was, and what the shift says of it."""
    return _joined([experiment])


def effect_lines(experiments: Sequence[ExperimentResult]) -> list[str]:
    """What the settings did to the input: one line per shift, with the range over its settings."""
    by_shift: dict[str, list[ExperimentResult]] = {}
    for experiment in experiments:
        by_shift.setdefault(experiment.setting.shift, []).append(experiment)
    lines = []
    for shift, settings in by_shift.items():
        count = f" ({len(settings)} settings)" if settings[1:] else ""
        lines.append(f"  {shift}{count}: {_joined(settings)}")
    return ["what was done to the input, and each shift's own figures (mean over recordings):", *lines] if lines else []


def _joined(experiments: Sequence[ExperimentResult]) -> str:
    values: dict[str, list[float]] = {}
    for experiment in experiments:
        for text, value in _effect(experiment).items():
            values.setdefault(text, []).append(value)
    return ", ".join(text.format(_range(found)) for text, found in values.items())


def _effect(experiment: ExperimentResult) -> dict[str, float]:
    """Texts that lack a number, and the numbers."""
    change, outcome = experiment.scores.change, experiment.scores.outcome
    if outcome is not None and outcome.unit == "window":
        found = {"at most {} in the unit of the detector's windows": outcome.largest_change}
        rms_uv = outcome.figures().get("change_rms_uv")
        return found if rms_uv is None else {**found, "{} uV RMS": float(rms_uv)}
    effect = {"{} uV RMS": change.rms_uv, "{}% of the signal": 100 * change.relative}
    effect["{}% of samples"] = 100 * change.share_changed
    effect |= dict(_named(name, value) for name, value in experiment.figures().items())
    return {text: value for text, value in effect.items() if not math.isnan(value)}


def _named(figure: str, value: float) -> tuple[str, float]:
    """Text of a shift's own figure, whose name ends in its unit."""
    *name, last = (_ABBREVIATIONS.get(word, word) for word in figure.split("_"))
    if last in _UNITS:
        return f"{' '.join(name)} {{}} {_UNITS[last]}", value
    text = " ".join([*name, last])
    return (f"{text} {{}}%", 100 * value) if last == "share" else (f"{text} {{}}", value)


def _range(values: Sequence[float]) -> str:
    low, high = _number(min(values)), _number(max(values))
    return low if low == high else f"{low} to {high}"


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{round(value, 6):.3g}"  # what is below is rounding


def attack_lines(experiments: Mapping[str, ExperimentResult]) -> list[str]:
    """Findings on attacks that failed, or that had no gradient to follow in some windows."""
    lines = []
    for label, experiment in experiments.items():
        outcome = experiment.scores.outcome
        if outcome is None:
            continue
        if outcome.verdict in ("nothing", "contrary"):
            lines.append(f"FAILED ATTACK {label}: {attack_sentence(outcome)}")
        elif outcome.without_gradient or outcome.undefined_gradient:
            lines.append(
                f"attack {label}: {outcome.without_gradient} of {outcome.windows} windows had no gradient, "
                f"{outcome.undefined_gradient} one that is not a number in parts"
            )
    return [*_strongest_lines(experiments), *lines]


def _strongest_lines(experiments: Mapping[str, ExperimentResult]) -> list[str]:
    attacks = [(one.scores.outcome, one) for one in experiments.values() if one.scores.outcome is not None]
    guided = [pair for pair in attacks if pair[0].guided]
    if not guided:
        return []
    outcome, experiment = max(guided, key=lambda pair: pair[0].mean_gain)
    # Where everything becomes one long event, event scores look perfect; those of samples don't.
    names = ("sample_f1", "event_f1") if experiment.scores.prediction is None else ("balanced_accuracy", "specificity")
    metrics = experiment.scores.metrics()
    figures = ", ".join(f"{name.replace('_f1', ' F1').replace('_', ' ')} {metrics[name]:.3f}" for name in names)
    return [
        f"strongest attack: {experiment.setting.label}: mean probability {outcome.mean_before:.4f} to "
        f"{outcome.mean_after:.4f}, {figures}"
    ]


def agreement_lines(experiments: Sequence[ExperimentResult]) -> list[str]:
    """Agreement of the baseline, or why there is none; and what lies on the threshold."""
    recordings = [recording for experiment in experiments for case in experiment.cases for recording in case.recordings]
    reasons = dict.fromkeys(recording.no_agreement for recording in recordings if recording.no_agreement)
    lines = [f"agreement not available: {reason}" for reason in reasons]
    return [*_baseline_lines(experiments), *lines, *_near_lines(recordings)]


def _baseline_lines(experiments: Sequence[ExperimentResult]) -> list[str]:
    first = experiments[0]
    summary = first.scores.agreement
    stages = [recording.agreement for case in first.cases for recording in case.recordings if recording.agreement]
    if summary is None or not stages:
        return []
    return [
        f"agreement of {first.setting.label} (T={stages[0].passes}, tau={stages[0].tau:g}): mean phi "
        f"{summary.mean:.4f}, in seizures {summary.seizure:.4f}, in background {summary.background:.4f}; "
        f"disagreement {summary.disagreement:.4f}, calibration error {summary.calibration_error:.4f}"
    ]


def _near_lines(recordings: Sequence[RecordingResult]) -> list[str]:
    total = sum(recording.near_threshold for recording in recordings)
    if not total:
        return []
    stems = dict.fromkeys(recording.stem for recording in recordings if recording.near_threshold)
    return [
        f"{total} probabilities lie within 1e-6 of the detector's threshold, in {', '.join(list(stems)[:5])}: "
        "another batch size or machine may decide them otherwise"
    ]
