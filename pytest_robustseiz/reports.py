"""Writing the report and the summary at the end of a run, and checking at its start that this will work."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_robustseiz.options import Settings

if TYPE_CHECKING:
    from pytest_robustseiz.finish import Ending
    from pytest_robustseiz.reportdata import Report, Verdict


def check_reports(settings: Settings, root: Path) -> None:
    """Check what reports need.

    Parameters
    ----------
    settings : Settings
        Of the run.
    root : Path
        Of the project, whose pyproject.toml may have facts for the model card.

    Raises
    ------
    pytest.UsageError
        When a path is a folder, or the facts cannot be used.
    """
    from pytest_robustseiz.cardfacts import FactsError, project_facts

    for name, path in (("report", settings.report), ("summary", settings.summary)):
        if path is not None and path.is_dir():
            raise pytest.UsageError(f"--robustseiz-{name}: {path} is a folder; name a file")
    if settings.report is not None:
        try:
            project_facts(root)
        except FactsError as error:
            raise pytest.UsageError(f"--robustseiz-report: {error}") from error


def write_reports(ending: "Ending", verdict: "Verdict", settings: Settings, corpus: Path, root: Path) -> None:
    """Write what was asked for; what cannot be written becomes a line of the ending.

    Parameters
    ----------
    ending : Ending
        Of the run.
    verdict : Verdict
        Of its tests.
    settings : Settings
        Of the run.
    corpus, root : Path
        Where the EEG is, and the project.
    """
    if settings.report is None and settings.summary is None:
        return
    from pytest_robustseiz.reportpage import render
    from pytest_robustseiz.stepsummary import append_summary

    report = _report(ending, verdict, settings, corpus, root)
    if settings.report is not None:
        _write(ending, "report", settings.report, lambda path: _save(path, render(report)))
    if settings.summary is not None:
        _write(ending, "summary", settings.summary, lambda path: append_summary(path, report))


def _report(ending: "Ending", verdict: "Verdict", settings: Settings, corpus: Path, root: Path) -> "Report":
    from pytest_robustseiz.cardfacts import project_facts
    from pytest_robustseiz.report import run_report
    from pytest_robustseiz.reportdata import Failure, Verdict

    others = tuple(Failure(what, why) for what, why in ending.failures)
    detectors = dict.fromkeys(detector for detector, _, _ in ending.scored)
    return run_report(
        [[(experiment, row) for other, experiment, row in ending.scored if other == one] for one in detectors],
        verdict=Verdict(verdict.passed, verdict.skipped, (*verdict.failures, *others)),
        absent=ending.absent,
        corpus=corpus,
        registry=settings.registry,
        facts=project_facts(root) if settings.report is not None else {},
        draw=settings.report is not None,
    )


def _write(ending: "Ending", what: str, path: Path, write: Callable[[Path], None]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except OSError as error:
        ending.failed = True
        ending.lines.append(f"NOT WRITTEN: {what} {path}: {error}")
    else:
        ending.lines.append(f"{what}: {path}")


def _save(path: Path, page: str) -> None:
    path.write_text(page, encoding="utf-8")
