"""Synthetic registries with the score files that belong to them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pytest_robustseiz.change import InputChange
from pytest_robustseiz.outputs import write_experiment
from pytest_robustseiz.registry import RunFacts, append, make_row
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult, SettingInfo
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.shifts import Baseline, Shift

FOUND = Mapping[str, Sequence[int]]  # setting to the number of found seizures of each subject, of 10


def experiment(setting: Shift, counts: Sequence[Counts]) -> ExperimentResult:
    """An experiment with one recording per subject."""
    info = SettingInfo(setting.label, setting.name, setting.family, "{}")
    cases = []
    for i, one in enumerate(counts):
        subject = f"sub-{i:02}"
        recording = RecordingResult(
            folder=f"{subject}/eeg", stem=subject, content="c0ffee", duration_s=one.duration_s, start=None,
            seizures=one.reference, sample=one, event=one, change=InputChange(1.0, 2.0, 3, 4), figures={}, notes=(),
        )  # fmt: skip
        cases.append(CaseResult(subject, info, (recording,)))
    return ExperimentResult(info, tuple(cases))


def write_registry(
    path: Path,
    settings: Sequence[Shift],
    found: FOUND,
    *,
    adapter: str = "a",
    corpus: str = "c",
    mode: str = "full",
    day: int = 1,
) -> list[ExperimentResult]:
    """Append rows of a run, and write its score files to a folder beside the registry."""
    output = path.with_suffix("")
    experiments = []
    rows = []
    facts = RunFacts(datetime(2026, 1, day, tzinfo=UTC), "/data", str(output), mode, 0)
    for setting in (Baseline(), *settings):
        counts = [Counts(tp, i % 2, 10, 86400.0) for i, tp in enumerate(found[setting.label])]
        result = experiment(setting, counts)
        write_experiment(output / setting.family, result)
        rows.append(make_row(result, adapter=adapter, fingerprint="f" * 64, corpus=corpus, facts=facts))
        experiments.append(result)
    append(path, rows)
    return experiments
