"""`robustseiz gallery`: a page that shows what each setting does to a piece of EEG."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_robustseiz.commands import CommandError, Subparsers, add_command, add_grid_option, read_grid_option

if TYPE_CHECKING:
    from pytest_robustseiz.gallery import Gallery


def add_parser(subparsers: Subparsers) -> None:
    """Declare the arguments."""
    parser = add_command(
        subparsers,
        "gallery",
        "Draw EEG before and after every setting, into one HTML page. Look at it before you believe a shift.",
        "  robustseiz gallery gallery.html\n"
        "  robustseiz gallery gallery.html --data data/chbmit-bids --recording sub-01_ses-01_task-szMonitoring_run-02",
    )
    parser.add_argument("out", metavar="OUT.html", type=Path, help="page to write; an existing one is replaced")
    parser.add_argument("--data", metavar="FOLDER", default="demo", help="BIDS-EEG corpus, or demo (default)")
    parser.add_argument(
        "--recording", metavar="STEM", help="file name without _eeg and ending (default: the first with a seizure)"
    )
    parser.add_argument("--start", metavar="S", type=float, help="where to begin, in seconds (default: at an onset)")
    parser.add_argument("--seconds", metavar="S", type=float, default=4.0, help="how much to draw (default: 4)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="seed of the random shifts (default: 0)")
    add_grid_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the page.

    Raises
    ------
    CommandError
        When the data cannot be read or the page not be written.
    """
    if not 0.5 <= args.seconds <= 60:
        raise CommandError(f"--seconds: expected 0.5 to 60, got {args.seconds:g}", code=2)
    if args.seed < 0:
        raise CommandError(f"--seed: expected 0 or more, got {args.seed}", code=2)
    gallery = _gallery(args)
    from pytest_robustseiz.gallerypage import render
    from pytest_robustseiz.stretch import DEMO, SYNTHETIC

    try:
        args.out.write_text(render(gallery, about=SYNTHETIC if args.data == DEMO else ""), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{args.out}: {error.strerror or error}") from error
    sys.stdout.write(f"{args.out}: {len(gallery.pictures)} settings on {gallery.stretch.recording.stem}\n")
    for setting, reason in gallery.not_applicable:
        sys.stdout.write(f"not applicable: {setting.label}: {reason}\n")
    return 0


def _gallery(args: argparse.Namespace) -> "Gallery":
    from pytest_robustseiz.gallery import make_gallery
    from pytest_robustseiz.stretch import cut, load

    grid = read_grid_option(args)
    try:  # errors of corpus, recording, events, stretch and shift are all of this kind
        stretch = cut(load(args.data, args.recording), start_s=args.start, seconds=args.seconds)
        return make_gallery(stretch, grid, seed=args.seed)
    except ValueError as error:
        raise CommandError(str(error)) from error
