"""The reproducibility checklist: what another person needs to get the same numbers."""

from collections.abc import Iterator, Mapping

from pytest_robustseiz.card import corpus_identity, fact_titles, given, grid_text
from pytest_robustseiz.cardfacts import FACTS, Facts, fact
from pytest_robustseiz.documents import Block, fields
from pytest_robustseiz.reportdata import Chapter
from pytest_robustseiz.reporttasks import view_of
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
        fields("Timing", view_of(chapter).card.timing(chapter)),
        fields("Agreement", _agreement(chapter)),
        fields("Environment", _environment(chapter.environment, chapter, facts)),
        fields("Registry", _registry(chapter, facts, registry)),
    ]


def _of(chapter: Chapter, facts: Facts, section: str, *names: str) -> Rows:
    titles = fact_titles(chapter, section)
    for name in names:
        yield titles[name], fact(facts, section, name)


def _model(chapter: Chapter, facts: Facts) -> Rows:
    yield "Identity", given(chapter.first, "adapter")
    yield "Fingerprint of code and weights", given(chapter.first, "adapter_fingerprint")
    yield from _of(chapter, facts, "model", "version", "weights", "preprocessing", "threshold", "postprocessing")


def _data(chapter: Chapter, facts: Facts) -> Rows:
    first = chapter.first
    yield from corpus_identity(chapter, facts)
    yield "Fingerprint of recordings and events", given(first, "corpus_fingerprint")
    yield "Scope", f"{first.text('mode')}: {first.text('subjects')} subjects, {first.text('recordings')} recordings"
    yield FACTS["data"]["subject_disjoint"], _disjoint(chapter) or fact(facts, "data", "subject_disjoint")
    yield from _of(chapter, facts, "data", "read_only")


def _disjoint(chapter: Chapter) -> str | None:
    """What the run found: it trained the models, or the author named subjects, over any of which a run is refused."""
    by_protocol = view_of(chapter).card.disjoint(chapter.first)
    if by_protocol:
        return by_protocol
    named = given(chapter.first, "training_subjects")
    return f"yes: of {named} training subjects that the author named, none is in the scope" if named else None


def _shifts(chapter: Chapter, facts: Facts) -> Rows:
    yield "Grids (number of settings)", grid_text(chapter) or None
    yield "Parameters", "in params_json of each row of the registry"
    yield "Seed", given(chapter.first, "seed")
    yield from _of(chapter, facts, "shifts", "in_memory")


def _scoring(chapter: Chapter) -> Rows:
    first = chapter.first
    scopes = {
        (entry.text("subjects"), entry.text("recordings"), entry.text("corpus_fingerprint")) for entry in chapter.all
    }
    yield "Same scope for the baseline and every setting", "yes" if len(scopes) == 1 else "no"
    yield "Preset", given(first, "scoring_preset")
    yield from view_of(chapter).card.scoring(first)
    yield "Version of pytest-robustseiz", given(first, "package_version")


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
    yield from _of(chapter, facts, "environment", "image", "hardware")


def _registry(chapter: Chapter, facts: Facts, registry: str) -> Rows:
    yield "File", registry
    yield "Rows of this detector and corpus", str(len(chapter.all))
    yield "Experiments without a row", "; ".join(chapter.absent) or "none known"
    yield from _of(chapter, facts, "registry", "submitted_whole")
