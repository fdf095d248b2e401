"""The reproducibility checklist: what another person needs to get the same numbers."""

import math
from collections.abc import Iterator, Mapping

from pytest_robustseiz.card import corpus_name, given, grid_text
from pytest_robustseiz.cardfacts import FACTS, Facts, fact
from pytest_robustseiz.documents import Block, fields
from pytest_robustseiz.reportdata import Chapter
from pytest_robustseiz.scoring import STRATA

Rows = Iterator[tuple[str, str | None]]


def checklist(chapter: Chapter, facts: Facts, *, registry: str) -> list[Block]:
    """The checklist of one detector on one corpus.

    Parameters
    ----------
    chapter : Chapter
        The experiments.
    facts : mapping
        Of the author; see `pytest_robustseiz.cardfacts.FACTS`.
    registry : str
        Path of the registry.
    """
    return [
        fields("Model", _model(chapter, facts)),
        fields("Data", _data(chapter, facts)),
        fields("Shifts", _shifts(chapter, facts)),
        fields("Scoring", _scoring(chapter)),
        fields("Timing", _timing(chapter)),
        fields("Agreement", _agreement(chapter)),
        fields("Environment", _environment(chapter.environment, chapter, facts)),
        fields("Registry", _registry(chapter, facts, registry)),
    ]


def _of(facts: Facts, section: str, *names: str) -> Rows:
    for name in names:
        yield FACTS[section][name], fact(facts, section, name)


def _model(chapter: Chapter, facts: Facts) -> Rows:
    yield "Identity", given(chapter.first, "adapter")
    yield "Fingerprint of code and weights", given(chapter.first, "adapter_fingerprint")
    yield from _of(facts, "model", "version", "weights", "preprocessing", "threshold", "postprocessing")


def _data(chapter: Chapter, facts: Facts) -> Rows:
    first = chapter.first
    yield "Corpus", fact(facts, "data", "name") or corpus_name(chapter)
    yield "Fingerprint of recordings and events", given(first, "corpus_fingerprint")
    yield "Scope", f"{first.text('mode')}: {first.text('subjects')} subjects, {first.text('recordings')} recordings"
    yield from _of(facts, "data", "version", "split", "subject_disjoint", "read_only")


def _shifts(chapter: Chapter, facts: Facts) -> Rows:
    yield "Grids (number of settings)", grid_text(chapter) or None
    yield "Parameters", "in params_json of each row of the registry"
    yield "Seed", given(chapter.first, "seed")
    yield from _of(facts, "shifts", "in_memory")


def _scoring(chapter: Chapter) -> Rows:
    first = chapter.first
    scopes = {
        (entry.text("subjects"), entry.text("recordings"), entry.text("corpus_fingerprint")) for entry in chapter.all
    }
    yield "Same scope for the baseline and every setting", "yes" if len(scopes) == 1 else "no"
    yield "Preset", given(first, "scoring_preset")
    yield "Version of timescoring", given(first, "timescoring_version")
    yield "Version of pytest-robustseiz", given(first, "package_version")


def _timing(chapter: Chapter) -> Rows:
    reported = any(not math.isnan(entry.value("onset_tp_count")) for entry in chapter.all)
    yield "Lead and Lag reported", "yes" if reported else "no"
    yield "Onset delays", "of true positives, on merged events before splitting, in samples at 256 Hz"


def _agreement(chapter: Chapter) -> Rows:
    first = next((entry for entry in chapter.all if entry.text("T")), chapter.first)
    if not chapter.has_agreement:
        yield "Agreement stage", f"did not run: {first.text('mcd_unavailable') or 'it was off'}"
        return
    yield "Stochastic passes T", given(first, "T")
    yield "Threshold tau", given(first, "tau")
    yield "Strata", ", ".join(STRATA)


def _environment(environment: Mapping[str, str], chapter: Chapter, facts: Facts) -> Rows:
    yield from environment.items()
    yield "Time of the run (UTC)", given(chapter.first, "timestamp_utc")
    yield from _of(facts, "environment", "image", "hardware")


def _registry(chapter: Chapter, facts: Facts, registry: str) -> Rows:
    yield "File", registry
    yield "Rows of this detector and corpus", str(len(chapter.all))
    yield "Experiments without a row", "; ".join(chapter.absent) or "none known"
    yield from _of(facts, "registry", "submitted_whole")
