"""What the subcommands that write documents of a registry share."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_robustseiz.cardfacts import TABLE, FactsError, project_facts, read_facts
from pytest_robustseiz.commands import CommandError

if TYPE_CHECKING:
    from pytest_robustseiz.reportdata import Chapter


def add_document_options(parser: argparse.ArgumentParser) -> None:
    """Add REGISTRY, --detector, --facts and --out."""
    parser.add_argument("registry", metavar="REGISTRY.csv", type=Path, help="registry to read")
    parser.add_argument("--detector", metavar="NAME", help="which detector (default: the only one)")
    add_facts_option(parser)
    parser.add_argument("--out", metavar="FILE.md", type=Path, help="file to write (default: standard output)")


def add_facts_option(parser: argparse.ArgumentParser) -> None:
    """Add --facts."""
    parser.add_argument(
        "--facts",
        metavar="FILE.toml",
        type=Path,
        help=f"what the author says of the detector (default: [{TABLE}] of ./pyproject.toml)",
    )


def facts_of(args: argparse.Namespace) -> dict[str, dict[str, object]]:
    """Facts of --facts, or of the project.

    Raises
    ------
    CommandError
        When the file cannot be used.
    """
    try:
        return project_facts(Path()) if args.facts is None else read_facts(args.facts)
    except FactsError as error:
        raise CommandError(f"--facts: {error}", code=2) from error


def chapters_for(args: argparse.Namespace) -> "list[Chapter]":
    """Chapters of one detector: for each corpus that with the most subjects, the newest among equals.

    Raises
    ------
    CommandError
        When the registry cannot be read, has no such detector, or has several and none is named.
    """
    from pytest_robustseiz.registry import RegistryError
    from pytest_robustseiz.reportregistry import chapters_of, read_rows

    try:
        rows = read_rows(args.registry)
    except RegistryError as error:
        raise CommandError(str(error)) from error
    names = list(dict.fromkeys(row["adapter"] for row in rows))
    if args.detector is None and len(names) > 1:
        raise CommandError(
            f"{args.registry} has several detectors: choose by --detector from {', '.join(names)}", code=2
        )
    name = args.detector or names[0]
    if name not in names:
        raise CommandError(f"--detector: no {name!r} in {args.registry}; there are {', '.join(names)}", code=2)
    return _one_of_each_corpus(chapters_of([row for row in rows if row["adapter"] == name], args.registry.parent))


def _one_of_each_corpus(chapters: "Sequence[Chapter]") -> "list[Chapter]":
    chosen: dict[str, Chapter] = {}
    fingerprint = chapters[0].first.text("adapter_fingerprint")
    for chapter in chapters:  # newest first
        first = chapter.first
        if first.text("adapter_fingerprint") != fingerprint:
            _left_out(chapter, "of another fingerprint than the newest")
            continue
        known = chosen.setdefault(first.text("data_dir"), chapter)
        if first.value("subjects") > known.first.value("subjects"):
            chosen[first.text("data_dir")] = chapter
            _left_out(known, "fewer subjects of a corpus that has others")
        elif known is not chapter:
            _left_out(chapter, "not the newest or the largest of its corpus")
    return list(chosen.values())


def _left_out(chapter: "Chapter", why: str) -> None:
    from pytest_robustseiz.reporttasks import view_of

    first = chapter.first
    group = "".join(f", {first.text(name)}" for name in view_of(chapter).group)
    sys.stderr.write(
        f"left out: {len(chapter.all)} rows of {first.text('timestamp_utc')}, {first.text('mode')}, seed "
        f"{first.text('seed')}{group}: {why}\n"
    )


def write_document(args: argparse.Namespace, text: str) -> None:
    """Write to --out, or to standard output.

    Raises
    ------
    CommandError
        When the file cannot be written.
    """
    if args.out is None:
        sys.stdout.write(text)
        return
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{args.out}: {error.strerror or error}") from error
