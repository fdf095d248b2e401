"""A whole conversion: what is done already, what is converted, what the result is worth."""

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from filelock import FileLock, Timeout

from pytest_robustseiz.convert_corpora import CORPORA
from pytest_robustseiz.convert_job import PARTIAL, Done, Job, already_done, convert, remove_outdated
from pytest_robustseiz.convert_metadata import write_descriptions, write_participants
from pytest_robustseiz.convert_plan import ConvertError, LeftOut, Plan, counted
from pytest_robustseiz.convert_pool import run_all
from pytest_robustseiz.corpus import CorpusError, RecordingFiles, discover
from pytest_robustseiz.corpuscheck import CorpusCheck
from pytest_robustseiz.events import EventsError
from pytest_robustseiz.recording import RecordingError, read_recording

Say: TypeAlias = Callable[[int, Job, Done | LeftOut], None]
LOCK = ".robustseiz-convert.lock"
GENERAL_FIX = "correct the file, or copy it again from its source"


@dataclass
class Outcome:
    """What a conversion came to.

    Attributes
    ----------
    done : list of Done
        Recordings in the target, of this run and of earlier ones.
    left_out : list of LeftOut
        What is not, with the reason.
    check : CorpusCheck
        What our own reading of the whole target says.
    """

    done: list[Done] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    check: CorpusCheck = field(default_factory=CorpusCheck)

    @property
    def errors(self) -> list[LeftOut]:
        """What could not be converted, against the user's wish."""
        return [left for left in self.left_out if left.is_error]


def run_plan(plan: Plan, jobs: Sequence[Job], *, source_version: str, workers: int, say: Say) -> Outcome:
    """Convert what is not done yet, then check the whole target.

    Parameters
    ----------
    plan : Plan
        Where the jobs are from, with what is left out of it.
    jobs : sequence of Job
        One for each recording, all with the same corpus and target.
    source_version : str
        Of the corpus; "" where it is not known.
    workers : int
        How many processes.
    say : callable
        Called with the number of recordings that are through, a job and what came of it, after each.

    Raises
    ------
    ConvertError
        When another conversion into the same target is running.
    """
    target, corpus = jobs[0].target, CORPORA[jobs[0].corpus]
    target.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(target / LOCK, timeout=0):
            write_descriptions(corpus, target, source_version)
            outcome = Outcome(left_out=list(plan.left_out))
            try:
                _convert_all(jobs, outcome, workers, say)
            finally:
                present = {done.name for done in outcome.done}
                write_participants(corpus, target, [job.source for job in jobs if job.source.name in present])
            _check_all(target, outcome, jobs, workers)
            return outcome
    except Timeout as error:
        raise ConvertError(f"{target}: another conversion into it is running", "wait for its end") from error


def _convert_all(jobs: Sequence[Job], outcome: Outcome, workers: int, say: Say) -> None:
    partial = jobs[0].target / PARTIAL
    shutil.rmtree(partial, ignore_errors=True)  # of a run that was killed
    partial.mkdir()
    waiting: list[Job] = []
    for job in jobs:
        if earlier := already_done(job):
            outcome.done.append(earlier)
            say(len(outcome.done), job, earlier)
        else:
            remove_outdated(job)
            waiting.append(job)
    try:
        for number, (job, result) in enumerate(run_all(convert, waiting, workers=workers), len(outcome.done) + 1):
            if isinstance(result, Done):
                outcome.done.append(result)
                say(number, job, result)
            else:
                outcome.left_out.append(left_out(job, result))
                say(number, job, outcome.left_out[-1])
    finally:
        shutil.rmtree(partial)
    outcome.done.sort(key=lambda done: done.target)


def left_out(job: Job, error: BaseException) -> LeftOut:
    """What the report says of a recording that could not be converted."""
    name = job.source.name
    if isinstance(error, ConvertError):
        return LeftOut(name, error.reason, error.fix)
    if isinstance(error, RecordingError | EventsError):
        first, *others = str(error).splitlines()  # a line for each channel
        reason, _, fix = first.removeprefix(f"{job.source.edf}: ").rpartition("; ")
        more = f" (and {len(others)} more like this)" if others else ""
        return LeftOut(name, (reason or fix) + more, fix if reason else GENERAL_FIX)
    if isinstance(error, BrokenProcessPool):
        return LeftOut(
            name, "a worker died while it was in progress, perhaps for want of memory", "take fewer --workers"
        )
    if isinstance(error, OSError):
        return LeftOut(name, str(error), "make room, or make the files readable, and run the command again")
    return LeftOut(name, f"{type(error).__name__}: {error}", "report this as a bug")


def _check_all(target: Path, outcome: Outcome, jobs: Sequence[Job], workers: int) -> None:
    """Discover the target as a run would, and read what was not read when it was written."""
    check = outcome.check
    if not outcome.done:
        check.problems.append(f"{target}: nothing was converted")
        return
    try:
        subjects = discover(target)
    except CorpusError as error:
        check.problems.append(str(error))
        return
    check.subjects = len(subjects)
    new = {done.target: done for done in outcome.done if done.is_new}
    for done in new.values():
        _count(check, recordings=1, seizures=done.seizures, hours=done.duration_s / 3600)
    found = {f"{files.folder}/{files.stem}": files for subject in subjects for files in subject.recordings}
    others = [files for place, files in found.items() if place not in new]
    for _, one in run_all(check_one, others, workers=workers):
        if isinstance(one, CorpusCheck):
            check.problems += one.problems
            _count(check, recordings=one.recordings, seizures=one.seizures, hours=one.hours)
        else:
            check.problems.append(f"{target}: a recording could not be checked ({one})")
    strangers = sorted(set(found) - {job.source.place.target for job in jobs})
    if strangers:
        check.notes.append(
            f"of earlier runs, not of this one: {counted(len(strangers), 'recording')}, as {strangers[0]}"
        )


def _count(check: CorpusCheck, *, recordings: int, seizures: int, hours: float) -> None:
    check.recordings += recordings
    check.seizures += seizures
    check.hours += hours


def check_one(files: RecordingFiles) -> CorpusCheck:
    """Read one recording as a run would."""
    check = CorpusCheck()
    try:
        check.add(read_recording(files))
    except (RecordingError, EventsError) as error:
        check.problems.append(str(error))
    return check
