"""`robustseiz convert`: a public corpus as a BIDS-EEG tree."""

import argparse
import math
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_robustseiz.commands import CommandError, Subparsers, add_command

if TYPE_CHECKING:
    from pytest_robustseiz.convert_job import Done, Job
    from pytest_robustseiz.convert_plan import Choices, LeftOut, Plan

NAMES = ("chbmit", "tusz", "siena", "seizeit1")
MOST_WORKERS = 4  # by default: each holds one recording, 0.9 GB for ten hours


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "convert",
        "Convert a public corpus to a BIDS-EEG tree. The source is only read. What is done already is not done again, "
        "so an interrupted conversion goes on with the same command. A file that cannot be converted rightly is an "
        "error by name in the report (conversion_report.txt and .tsv in TARGET), and the exit status is 1.",
        "  robustseiz convert chbmit physionet.org/files/chbmit/1.0.0 data/chbmit-bids --dry-run\n"
        "  robustseiz convert tusz tuh_eeg_seizure/v2.0.3 data/tusz-eval-bids --workers 8\n"
        "  robustseiz convert siena siena-scalp-eeg/1.0.0 data/siena-bids --subjects PN00,PN01",
    )
    parser.add_argument("corpus", choices=NAMES, help="which corpus it is")
    parser.add_argument("source", metavar="SOURCE", type=Path, help="folder of the corpus, with its subjects or splits")
    parser.add_argument("target", metavar="TARGET", type=Path, help="folder for the BIDS tree; made when missing")
    parser.add_argument("--subjects", metavar="NAMES", help="only these, separated by commas: chb01,chb05 or sub-01")
    parser.add_argument("--split", choices=("eval", "dev", "train"), help="tusz: which split (default: eval)")
    parser.add_argument(
        "--annotations", choices=("a1", "a2"), help="seizeit1: whose list is the reference (default: a1, neurologist)"
    )
    parser.add_argument(
        "--assume-length", metavar="S", type=float,
        help="seizeit1: length in seconds of a seizure whose end the list does not state, with confidence 0.5; "
        "without it such a recording is an error",
    )  # fmt: skip
    parser.add_argument("--source-version", metavar="V", help="version of the corpus (default: from its folder's name)")
    parser.add_argument(
        "--workers", metavar="N", type=int, default=min(MOST_WORKERS, os.cpu_count() or 1),
        help=f"processes, each with one recording in memory (default: number of cores, at most {MOST_WORKERS})",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, and write nothing")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert, and print the report.

    Raises
    ------
    CommandError
        When the arguments do not fit the corpus or the folders, or epilepsy2bids is not installed.
    """
    choices = _choices(args)
    from pytest_robustseiz.convert_corpora import CORPORA
    from pytest_robustseiz.convert_epilepsy2bids import version
    from pytest_robustseiz.convert_find import make_plan
    from pytest_robustseiz.convert_job import Job
    from pytest_robustseiz.convert_metadata import check_target, source_version
    from pytest_robustseiz.convert_plan import ConvertError

    corpus, split = CORPORA[args.corpus], (args.split or "eval") if args.corpus == "tusz" else ""
    subjects = [name.strip() for name in (args.subjects or "").split(",") if name.strip()]
    try:
        version()
        plan = make_plan(corpus, args.source, split=split, subjects=subjects, choices=choices)
        stated = args.source_version or source_version(args.source)
        check_target(corpus, args.source, args.target, stated)
        jobs = [Job(args.corpus, source, args.target, choices) for source in plan.sources]
        heading = (
            f"{corpus.name}, version {stated or 'not known (give --source-version)'}{split and f', split {split}'}"
        )
        if args.dry_run:
            return _say_plan(plan, jobs, heading)
        return _convert(plan, jobs, stated, heading, args.workers)
    except (ConvertError, ImportError, OSError) as error:
        raise CommandError(str(error)) from error


def _choices(args: argparse.Namespace) -> "Choices":
    from pytest_robustseiz.convert_plan import Choices

    if not args.source.is_dir():
        raise CommandError(f"{args.source}: no such folder")
    if args.workers < 1:
        raise CommandError(f"--workers: expected 1 or more, got {args.workers}", code=2)
    for option, value, corpus in (
        ("--split", args.split, "tusz"),
        ("--annotations", args.annotations, "seizeit1"),
        ("--assume-length", args.assume_length, "seizeit1"),
    ):
        if value is not None and args.corpus != corpus:
            raise CommandError(f"{option}: is for {corpus} only; leave it out for {args.corpus}", code=2)
    if args.assume_length is not None and not 0 < args.assume_length < math.inf:
        raise CommandError(f"--assume-length: expected more than 0 s, got {args.assume_length:g}", code=2)
    return Choices(annotator=args.annotations or "a1", assumed_s=args.assume_length)


def _say_plan(plan: "Plan", jobs: "list[Job]", heading: str) -> int:
    from pytest_robustseiz.convert_job import already_done
    from pytest_robustseiz.convert_plan import counted

    lines = [heading]
    for job in jobs:
        state = "done before" if already_done(job) else "to be written"
        lines.append(f"{state}: {job.source.name} -> {job.source.place.target}_eeg.edf")
    lines += [f"error: {left.name}: {left.reason}; {left.fix}" for left in plan.left_out if left.is_error]
    lines += [f"left out: {left.name}: {left.reason} ({left.fix})" for left in plan.left_out if not left.is_error]
    subjects = {job.source.participant for job in jobs}
    lines.append(f"{counted(len(jobs), 'recording')} of {counted(len(subjects), 'subject')}; nothing was written")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if any(left.is_error for left in plan.left_out) else 0


def _convert(plan: "Plan", jobs: "list[Job]", stated: str, heading: str, workers: int) -> int:
    from pytest_robustseiz.convert_plan import ConvertError
    from pytest_robustseiz.convert_report import TABLE, TEXT, as_table, as_text
    from pytest_robustseiz.convert_run import run_plan
    from pytest_robustseiz.store import write_atomically

    if not jobs:
        raise ConvertError("no recording can be converted", "see --dry-run for the reasons")
    try:
        outcome = run_plan(plan, jobs, source_version=stated, workers=workers, say=Progress(jobs).say)
    except KeyboardInterrupt:
        raise CommandError("interrupted; the same command goes on where it was", code=130) from None
    target = jobs[0].target
    report = as_text(outcome, heading)
    write_atomically(target / TEXT, report)
    write_atomically(target / TABLE, as_table(outcome))
    sys.stdout.write(report)
    return 1 if outcome.errors or outcome.check.problems else 0


class Progress:
    """A line on stderr for each recording that is converted, with the time that is left by the size of the files."""

    def __init__(self, jobs: "list[Job]") -> None:
        self._sizes = {job.source.name: job.source.edf.stat().st_size for job in jobs}
        self._left = sum(self._sizes.values())
        self._converted = 0
        self._start = time.monotonic()

    def say(self, number: int, job: "Job", result: "Done | LeftOut") -> None:
        """Say what came of one recording; nothing of those that were done before."""
        from pytest_robustseiz.convert_job import Done
        from pytest_robustseiz.convert_plan import counted

        self._left -= self._sizes[job.source.name]
        if isinstance(result, Done) and not result.is_new:
            return
        self._converted += self._sizes[job.source.name]
        left_s = (time.monotonic() - self._start) * self._left / max(self._converted, 1)
        if isinstance(result, Done):
            said = f"{result.duration_s / 3600:.2f} h, {counted(result.seizures, 'seizure')}"
        else:
            said = f"error: {result.reason}"
        line = f"[{number}/{len(self._sizes)}] {job.source.name}: {said}; about {left_s / 60:.0f} min left\n"
        sys.stderr.write(line)
        sys.stderr.flush()
