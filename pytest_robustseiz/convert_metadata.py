"""The files at the top of the BIDS tree: what the corpus is, who its participants are."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_robustseiz import __version__
from pytest_robustseiz.convert_epilepsy2bids import PACKAGE, events_description, template, version
from pytest_robustseiz.convert_plan import ConvertError, Corpus, Source
from pytest_robustseiz.corpus import CorpusError
from pytest_robustseiz.corpusfacts import DESCRIPTION, PARTICIPANTS, read_corpus_facts
from pytest_robustseiz.store import write_atomically

_VERSION = re.compile(r"(?:.*[-_ ])?v?(\d+(?:\.\d+){1,2})", re.IGNORECASE)
_STATED = re.compile(r"^version:\s*v?(\d+\.\d+(?:\.\d+)?)\s*$", re.IGNORECASE | re.MULTILINE)
README = """{name}{version}, converted for pytest-robustseiz

Made by `robustseiz convert` of pytest-robustseiz {ours} with {package} {theirs}. Recordings have 256 Hz and {channels};
channels that a file has not are zero. Samples were resampled without moving them in time and stored with 16 bits. Each
sidecar says, under RobustseizConversion, from which file it was made and what there is to know about it;
conversion_report.txt and conversion_report.tsv say what was converted and what was left out, and why.

The licence of the corpus and how to cite it are in dataset_description.json.
"""
CHANNELS = {
    "unipolar": "19 electrodes of the 10-20 system against the common average of those that carry signal",
    "bipolar": "the 18 pairs of the double banana",
}


def source_version(root: Path) -> str:
    """Version of a corpus from its folder's name or the one above, such as v2.0.3, or its AAREADME.txt; "" without."""
    folders = (root.resolve(), root.resolve().parent)
    for folder in folders:
        if found := _VERSION.fullmatch(folder.name):
            return found[1]
    for folder in folders:
        readme = folder / "AAREADME.txt"
        if readme.is_file() and (found := _STATED.search(readme.read_text(encoding="latin-1"))):
            return found[1]
    return ""


def check_target(corpus: Corpus, source: Path, target: Path, source_version: str) -> None:
    """Refuse a target in which something else is.

    Raises
    ------
    ConvertError
        When one of the folders is inside of the other, or the target holds recordings that are not of this corpus.
    """
    here, there = source.resolve(), target.resolve()
    if here == there or here in there.parents or there in here.parents:
        raise ConvertError(f"{source} and {target} are in each other", "choose a target outside of the corpus")
    if not (target / DESCRIPTION).exists():
        if target.is_dir() and any(target.glob("sub-*")):
            raise ConvertError(f"{target} has recordings but no {DESCRIPTION}", "choose an empty folder")
        return
    try:
        facts = read_corpus_facts(target, [])
    except CorpusError as error:
        raise ConvertError(str(error), "or choose an empty folder") from error
    if (facts.name, facts.version) != (corpus.name, source_version):
        held, wanted = f"{facts.name} {facts.version}".strip(), f"{corpus.name} {source_version}".strip()
        raise ConvertError(f"{target} holds {held}, not {wanted}", "choose another folder")


def write_descriptions(corpus: Corpus, target: Path, source_version: str) -> None:
    """Write what can be said before any recording is converted."""
    description = _description(corpus, source_version)
    write_atomically(target / DESCRIPTION, _json(description))
    write_atomically(target / "events.json", events_description())
    write_atomically(target / "participants.json", _json(_participants_description(corpus)))
    write_atomically(target / ".bidsignore", "conversion_report.*\n")
    readme = README.format(
        name=corpus.name,
        version=f" {source_version}" if source_version else "",
        ours=__version__,
        package=PACKAGE,
        theirs=version(),
        channels=CHANNELS[corpus.montage],
    )
    write_atomically(target / "README", readme)


def _description(corpus: Corpus, source_version: str) -> dict[str, Any]:
    content = template(corpus, DESCRIPTION)
    source = {"Version": source_version} if source_version else {}
    source |= {"DOI": content["DatasetDOI"]} if "DatasetDOI" in content else {}
    content |= {"Name": corpus.name} | ({"DatasetVersion": source_version} if source_version else {})
    content["GeneratedBy"] = [
        {"Name": "pytest-robustseiz", "Version": __version__, "Description": "robustseiz convert"},
        {"Name": PACKAGE, "Version": version(), "Description": "descriptions, and types of seizures"},
    ]
    content["SourceDatasets"] = [source]
    return content


def _participants_description(corpus: Corpus) -> dict[str, Any]:
    content = template(corpus, "participants.json")
    if "split" in content:
        content["split"]["Levels"] = {"train": "training", "dev": "development", "eval": "evaluation"}
    return content


def write_participants(corpus: Corpus, target: Path, sources: Sequence[Source]) -> None:
    """Write participants.tsv; subjects of earlier runs into the same target stay in it.

    Parameters
    ----------
    corpus : Corpus
        Which corpus it is.
    target : Path
        The BIDS tree.
    sources : sequence of Source
        The recordings that are in it.
    """
    fresh: dict[str, dict[str, str]] = {}
    for source in sources:
        if source.participant not in fresh:
            fresh[source.participant] = corpus.participant(source)
    rows = _earlier(target) | fresh
    present = sorted(name for name in rows if (target / name).is_dir())
    columns = ["participant_id", *dict.fromkeys(key for name in present for key in rows[name])]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="n/a", delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows({"participant_id": name, **rows[name]} for name in present)
    write_atomically(target / PARTICIPANTS, text.getvalue())


def _earlier(target: Path) -> dict[str, dict[str, str]]:
    path = target / PARTICIPANTS
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {row.pop("participant_id"): row for row in rows}


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
