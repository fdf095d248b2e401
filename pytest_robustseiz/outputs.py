"""Hypothesis tables and score files of each experiment, below the output folder."""

import io
import zipfile
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import numpy as np

from pytest_robustseiz.events import write_events
from pytest_robustseiz.figuretexts import csv_table, shown
from pytest_robustseiz.predictionoutputs import write_predicted, write_prediction_scores
from pytest_robustseiz.results import ExperimentResult, RecordingResult, Scores, counts_metrics
from pytest_robustseiz.scoring import SZCORE, subject_means
from pytest_robustseiz.store import write_atomically, write_bytes_atomically

_ONSET_COLUMNS = ("subject", "recording", "delay_samples", "delay_s")


def write_experiment(folder: Path, experiment: ExperimentResult) -> None:
    """Write what one experiment came to.

    Parameters
    ----------
    folder : Path
        `<output>/<category>`; the experiment's own folder is made below it. There each recording's hypothesis stands
        under the relative path of its reference, with its phi beside it where the agreement stage ran; above them
        results.csv, results.txt, onset.csv and onset.txt. Of predictions there is a table of classes for each
        recording, and above them results.csv and results.txt.
    experiment : ExperimentResult
        The experiment.
    """
    target = folder / experiment.setting.label
    counts = experiment.scores.prediction
    for case in experiment.cases:
        for recording in case.recordings:
            if counts is None:
                _write_hypothesis(target, recording)
            else:
                write_predicted(_beside(target, recording, "prediction.tsv"), recording)
            _write_agreement(target, recording)
    if counts is not None:
        write_prediction_scores(target, experiment, counts)
        return
    write_atomically(target / "results.csv", csv_table(_accuracy_rows(experiment)))
    write_atomically(target / "results.txt", _accuracy_text(experiment))
    write_atomically(target / "onset.csv", csv_table(_onset_rows(experiment), _ONSET_COLUMNS))
    write_atomically(target / "onset.txt", _onset_text(experiment))


def _write_hypothesis(target: Path, recording: RecordingResult) -> None:
    path = _beside(target, recording, "events.tsv")
    start = datetime.fromisoformat(recording.start) if recording.start else None
    write_events(path, recording.hypothesis, recording_s=recording.duration_s, start=start)


def _beside(target: Path, recording: RecordingResult, ending: str) -> Path:
    """Where a file of a recording goes: under the relative path of its reference."""
    path = target / recording.folder / f"{recording.stem}_{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _write_agreement(target: Path, recording: RecordingResult) -> None:
    path = _beside(target, recording, "agreement.npz")
    stage = recording.agreement
    if stage is None:
        path.unlink(missing_ok=True)  # of an earlier run, whose hypothesis has just been replaced
        return
    # As numpy.savez_compressed writes it, at the level at which the file of an hour takes a few milliseconds.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        arrays = {"phi": stage.phi(), "passes": np.array(stage.passes), "tau": np.array(stage.tau)}
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    write_bytes_atomically(path, buffer.getvalue())


def _accuracy_rows(experiment: ExperimentResult) -> list[dict[str, object]]:
    rows = []
    for case in experiment.cases:
        for recording in case.recordings:
            rows.append(_accuracy_row(case.subject, recording.stem, Scores.pool([recording])))
        rows.append(_accuracy_row(case.subject, "all", case.scores))
    rows.append(_accuracy_row("all", "all", experiment.scores))
    return rows


def _accuracy_row(subject: str, recording: str, scores: Scores) -> dict[str, object]:
    row: dict[str, object] = {"subject": subject, "recording": recording}
    for level, counts in (("sample", scores.sample), ("event", scores.event)):
        row |= {f"{level}_{name}": value for name, value in asdict(counts).items() if name != "duration_s"}
        row |= {f"{level}_{name}": value for name, value in counts_metrics(counts).items()}
    return row | {"duration_s": scores.event.duration_s}


def _accuracy_text(experiment: ExperimentResult) -> str:
    scores = experiment.scores
    lines = [
        f"{experiment.setting.label}: {len(experiment.cases)} subjects, {scores.event.duration_s / 3600:.2f} h, "
        f"{scores.seizures} seizures, scoring preset {SZCORE.name}",
        "",
        "Pooled over the scope (summed counts)",
    ]
    for level, counts in (("sample", scores.sample), ("event", scores.event)):
        figures = ", ".join(f"{name} {shown(value)}" for name, value in counts_metrics(counts).items())
        lines.append(f"  {level}: {figures} (tp {counts.tp}, fp {counts.fp}, reference {counts.reference})")
    lines += ["", "Mean over subjects (those to which the score applies)"]
    for level in ("sample", "event"):
        means = subject_means({case.subject: getattr(case.scores, level) for case in experiment.cases})
        listed = ", ".join(f"{name} {shown(mean.mean)} (n={mean.subjects})" for name, mean in means.items())
        lines.append(f"  {level}: {listed}")
    return "\n".join([*lines, *_agreement_lines(scores), *_attack_lines(scores)]) + "\n"


def _agreement_lines(scores: Scores) -> list[str]:
    summary = scores.agreement
    if summary is None:
        return []
    listed = ", ".join(
        f"{name} {shown(getattr(summary, name))} (n={files})" for name, files in summary.contributing.items()
    )
    return [
        "",
        "Agreement (mean over the recordings that have such samples)",
        f"  phi: {listed}",
        f"  disagreement {shown(summary.disagreement)}, predictive entropy {shown(summary.entropy_bits)} bits, "
        f"calibration error {shown(summary.calibration_error)}",
    ]


def _attack_lines(scores: Scores) -> list[str]:
    if scores.outcome is None:
        return []
    figures = scores.outcome.figures()
    listed = (f"  {name}: {value if isinstance(value, str) else shown(value)}" for name, value in figures.items())
    return ["", "What the attack achieved", *listed]


def _onset_rows(experiment: ExperimentResult) -> list[dict[str, object]]:
    return [
        {"subject": case.subject, "recording": recording.stem, "delay_samples": delay, "delay_s": delay / 256}
        for case in experiment.cases
        for recording in case.recordings
        for delay in recording.delays
    ]


def _onset_text(experiment: ExperimentResult) -> str:
    onsets = experiment.scores.onsets
    lines = [f"{experiment.setting.label}: {onsets.tp_count} true positives, {onsets.ontime_count} on time"]
    for side, meaning in (("lead", "before"), ("lag", "after")):
        listed = ", ".join(
            f"{name} {shown(getattr(onsets, f'{side}_{name}') / 256)}"
            for name in ("mean", "median", "p90", "min", "max")
        )
        lines.append(f"{side.capitalize()} ({meaning} the reference onset), in s: {listed}")
    return "\n".join(lines) + "\n"
