"""`robustseiz merge`: one registry from several."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_robustseiz.commands import CommandError, Subparsers, add_command

if TYPE_CHECKING:
    from pytest_robustseiz.registryfile import StoredRow
    from pytest_robustseiz.tasks import Task

# Two rows that agree in these are of one run: the same row twice, or two that contradict each other.
KEY = ("timestamp_utc", "adapter", "adapter_fingerprint", "experiment_name", "params_json", "corpus_fingerprint",
       "scoring_preset", "mode", "subjects", "seed")  # fmt: skip


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "merge",
        "Join registries of one task into a new one, in order of time. A row that occurs twice is an error that names "
        "both places.",
        "  robustseiz merge all.csv machine1.csv machine2.csv",
    )
    parser.add_argument("out", metavar="OUT.csv", type=Path, help="registry to write; must not exist")
    parser.add_argument("registries", metavar="REGISTRY.csv", type=Path, nargs="+", help="registries to join")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the joined registry.

    Raises
    ------
    CommandError
        When the output exists, a file is not a registry of this version, the files are of both tasks, or a row occurs
        twice; nothing is written.
    """
    from pytest_robustseiz.registry import RegistryError, append
    from pytest_robustseiz.registrycheck import read_checked, task_of_file

    if args.out.exists():
        raise CommandError(f"{args.out} exists; remove it or name another file")
    try:
        tasks = [(path, task_of_file(path)) for path in args.registries]
        rows = [row for path, task in tasks for row in read_checked(path, task)]
        refuse_two_tasks(tasks)
        refuse_duplicates(rows)
        append(args.out, [row.cells for row in sorted(rows, key=lambda row: row["timestamp_utc"])])
    except RegistryError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{args.out}: {error.strerror or error}") from error
    sys.stdout.write(f"{args.out}: {len(rows)} rows of {len(args.registries)} registries\n")
    return 0


def refuse_two_tasks(tasks: "Sequence[tuple[Path, Task]]") -> None:
    """Raise `CommandError` where registries are of both tasks, which have no columns in common to be compared by."""
    if len({task.name for _, task in tasks}) > 1:
        listed = [f"{path} is of the {task.name} task" for path, task in tasks]
        raise CommandError("registries of two tasks cannot be joined; join those of each:\n  " + "\n  ".join(listed))


def refuse_duplicates(rows: "Sequence[StoredRow]", *, most: int = 10) -> None:
    """Raise `CommandError` where two rows are about the same experiment of the same run."""
    seen: dict[tuple[str, ...], StoredRow] = {}
    found = []
    for row in rows:
        first = seen.setdefault(tuple(row[name] for name in KEY), row)
        if first is not row:
            found.append(
                f"{row['experiment_name']} of {row['adapter']!r} at {row['timestamp_utc']}: "
                f"{first.path} line {first.line} and {row.path} line {row.line}"
            )
    if found:
        more = [f"and {len(found) - most} more"] if len(found) > most else []
        raise CommandError("rows occur twice; remove one of each:\n  " + "\n  ".join([*found[:most], *more]))
