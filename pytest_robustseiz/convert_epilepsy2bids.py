"""What is taken from epilepsy2bids, an extra: descriptions of corpora, types and places of seizures, a second reading.

Its conversion of signals is not used. It reads EDF files with pyEDFlib, which refuses some that are sound (a date with
colons, a dummy channel without range, a record count of -1), takes the rate as the header rounds it and any unit for
microvolts, takes the first label that contains a name, averages over zero-filled electrodes, and resamples slowly. Its
readers of lists pass over what they do not understand, so that a file which a list does not name, or names with a blank
behind, has no seizures.
"""

import importlib.metadata
import json
import string
from collections.abc import Sequence
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from pytest_robustseiz.convert_plan import Corpus, Source
from pytest_robustseiz.events import Event

PACKAGE = "epilepsy2bids"
EXTRA = f"conversion needs {PACKAGE}: pip install 'pytest-robustseiz[convert]'"
SAME_S = 0.01  # it writes times with two decimals


def version() -> str:
    """Of the installed epilepsy2bids.

    Raises
    ------
    ImportError
        When there is none; the message names the extra.
    """
    try:
        return importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError(EXTRA) from error


def template(corpus: Corpus, name: str, **values: object) -> dict[str, Any]:
    """A JSON file that describes the corpus, with its `$placeholders` filled in."""
    text = (resources.files(f"{PACKAGE}.bids") / corpus.templates / name).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(string.Template(text).substitute(values))
    return content


def events_description() -> str:
    """Text of events.json, which describes the codes of seizures."""
    return (resources.files(f"{PACKAGE}.bids") / "events.json").read_text(encoding="utf-8")


def second_reading(corpus: Corpus, source: Source, seizures: Sequence[Event]) -> str:
    """A note where epilepsy2bids would give a recording other seizures; "" where it would not.

    Who compares results with the BIDS versions of these corpora that were made with epilepsy2bids needs to know.
    """
    ours = [(event.onset_s, event.stop_s) for event in seizures]
    try:
        theirs = _times(corpus, source)
    except Exception as error:  # noqa: BLE001 - its readers raise almost anything on lists that they do not expect
        return f"{PACKAGE} {version()} cannot read the list ({type(error).__name__}: {error})"
    if len(ours) == len(theirs) and all(
        abs(a - b) <= SAME_S for pair in zip(ours, theirs, strict=True) for a, b in zip(*pair, strict=True)
    ):
        return ""
    return f"{PACKAGE} {version()} has other seizures here: {_shown(theirs)}; this conversion has {_shown(ours)}"


def _times(corpus: Corpus, source: Source) -> list[tuple[float, float]]:
    reader = import_module(f"{PACKAGE}.load_annotations.{corpus.templates}")
    if corpus.templates == "chbmit":
        found = reader._loadSeizures(str(source.edf), source.place.subject, source.edf.name)
    else:
        found = reader._loadSeizures(str(source.edf))
    if isinstance(found, tuple):
        times, types, *_ = found
        found = [time for time, kind in zip(times, types, strict=True) if kind.value != "bckg"]
    return sorted((float(start_s), float(stop_s)) for start_s, stop_s in found)


def _shown(times: Sequence[tuple[float, float]]) -> str:
    return ", ".join(f"{start_s:g}-{stop_s:g} s" for start_s, stop_s in times) or "none"


def name_in_siena_list(name: str) -> str:
    """How Siena's hand-written lists name an EDF file, with their typing errors."""
    from epilepsy2bids.load_annotations.siena import _correctEdfFileNameTypos

    return str(_correctEdfFileNameTypos(name))


def siena_kind(edf: Path) -> tuple[str, str, list[str]]:
    """Code and channels of a Siena subject's seizures from subject_info.csv; without it sz and n/a, with a note."""
    from epilepsy2bids.load_annotations import siena

    try:
        return siena._getSeizureType(str(edf)).value, ",".join(siena._getChannels(str(edf))), []
    except (OSError, LookupError, ValueError):  # no such table, subject or type
        return "sz", "n/a", ["subject_info.csv does not say of which type the seizures are; they are written as sz"]


def seizeit_channels(comment: str) -> str:
    """Channels of a SeizeIT1 seizure from its comment, such as "Hem:L, Orig:Temp, bhe: 0"; n/a where it has none."""
    from epilepsy2bids.load_annotations.seizeit import _getChannels

    try:
        channels = _getChannels(comment)
    except (IndexError, ValueError):  # no comment of this form
        return "n/a"
    return channels if isinstance(channels, str) else ",".join(channels) or "n/a"
