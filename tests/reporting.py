"""Synthetic experiments for tests of reports: every setting of a grid on made-up counts."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from pytest_robustseiz.case import describe
from pytest_robustseiz.change import InputChange
from pytest_robustseiz.registry import RunFacts, make_row
from pytest_robustseiz.report import Scored
from pytest_robustseiz.results import CaseResult, ExperimentResult, RecordingResult
from pytest_robustseiz.scoring import Counts
from pytest_robustseiz.shifts import Shift, paper_grid

FACTS = RunFacts(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "/data/<synthetic>", "/out", "full", 7)
SFREQ = 256


def recording(subject: int, setting: int) -> RecordingResult:
    """Counts that fall with the number of the setting, unevenly between subjects; every fourth has no seizures."""
    reference = 0 if subject % 4 == 3 else 3 + subject % 5
    tp = max(reference - (setting * (subject + 3)) % 7 // 2, 0) if setting else reference
    fp = (setting * 5 + subject) % 6 if setting else 0
    delays = tuple(round(math.sin(k + setting + subject) * 40) * SFREQ for k in range(tp))
    return RecordingResult(
        folder=f"sub-{subject:02d}/eeg", stem=f"sub-{subject:02d}_run-00", content="c0ffee", duration_s=3600.0,
        start=None,
        seizures=reference, sample=Counts(tp * 2000, fp * 1000, reference * 2560, 3600.0),
        event=Counts(tp, fp, reference, 3600.0), delays=delays, hypothesis=(),
        change=InputChange(4.0 * setting, 400.0, setting, 4), figures={"measured": float(setting)}, notes=(),
    )  # fmt: skip


def scored(
    grid: Sequence[Shift] | None = None, *, subjects: int = 7, adapter: str = 'a "detector" <1>'
) -> list[Scored]:
    """All settings of a grid with their registry rows."""
    found: list[Scored] = []
    for number, setting in enumerate(paper_grid() if grid is None else grid):
        info = describe(setting)
        cases = tuple(CaseResult(f"sub-{i:02d}", info, (recording(i, number),)) for i in range(subjects))
        experiment = ExperimentResult(info, cases)
        row = make_row(experiment, adapter=adapter, fingerprint="f" * 64, corpus="0123456789abcdef", facts=FACTS)
        found.append((experiment, row))
    return found
