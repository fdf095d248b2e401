"""The model card: who made a detector, and how it does with and without shifts."""

import json
from collections.abc import Iterator, Sequence

from pytest_robustseiz.cardfacts import FACTS, Facts, fact
from pytest_robustseiz.documents import Block, fields
from pytest_robustseiz.figuretexts import shown
from pytest_robustseiz.reportdata import SFREQ, Chapter, Entry
from pytest_robustseiz.reportfigures import family_range
from pytest_robustseiz.reporttasks import view_of


def model_card(chapters: Sequence[Chapter], facts: Facts) -> list[Block]:
    """The card of one detector.

    Parameters
    ----------
    chapters : sequence of Chapter
        One for each corpus, all of the same detector.
    facts : mapping
        Of the author; see `pytest_robustseiz.cardfacts.FACTS`.
    """
    return [
        fields("Contact", ((title, fact(facts, "contact", name)) for name, title in FACTS["contact"].items())),
        fields("Model", _model(chapters, facts)),
        *(fields(f"Evaluation on {corpus_name(chapter)}", _evaluation(chapter, facts)) for chapter in chapters),
        _baseline_block(chapters),
        *(block for chapter in chapters for block in view_of(chapter).card.blocks(chapter, corpus_name(chapter))),
        *(_results_block(chapter) for chapter in chapters),
    ]


def corpus_name(chapter: Chapter) -> str:
    """Name of a corpus: its own, else that of its folder."""
    return given(chapter.first, "corpus_name") or _folder_name(chapter)


def _folder_name(chapter: Chapter) -> str:
    return chapter.first.text("data_dir").rstrip("/\\").replace("\\", "/").rpartition("/")[2] or "unnamed corpus"


def corpus_identity(chapter: Chapter, facts: Facts) -> Iterator[tuple[str, str | None]]:
    """Name, version and split: as the author says, else as the corpus does."""
    yield FACTS["data"]["name"], fact(facts, "data", "name") or corpus_name(chapter)
    for name in ("version", "split"):
        yield FACTS["data"][name], fact(facts, "data", name) or given(chapter.first, f"corpus_{name}")


def given(entry: Entry, column: str) -> str | None:
    """A cell as text; None where it is empty."""
    return entry.text(column) or None


def grid_text(chapter: Chapter) -> str:
    """Shifts by family with their numbers of settings."""
    families: dict[str, dict[str, int]] = {}
    for entry in chapter.entries:
        shifts = families.setdefault(entry.family, {})
        shifts[entry.shift] = shifts.get(entry.shift, 0) + 1
    return "; ".join(
        f"{family}: {', '.join(f'{shift} ({count})' for shift, count in shifts.items())}"
        for family, shifts in families.items()
    )


def _model(chapters: Sequence[Chapter], facts: Facts) -> Iterator[tuple[str, str | None]]:
    first = chapters[0].first
    yield "Name", given(first, "adapter")
    yield "Fingerprint", given(first, "adapter_fingerprint")
    for name, title in fact_titles(chapters[0], "model").items():
        yield title, fact(facts, "model", name)


def fact_titles(chapter: Chapter, section: str) -> dict[str, str]:
    """How the documents of a chapter call the author's facts of a section."""
    titles = view_of(chapter).card.titles
    return {name: titles.get(name, title) for name, title in FACTS[section].items()}


def _evaluation(chapter: Chapter, facts: Facts) -> Iterator[tuple[str, str | None]]:
    first, card = chapter.first, view_of(chapter).card
    yield from corpus_identity(chapter, facts)
    yield "Corpus fingerprint", given(first, "corpus_fingerprint")
    yield "Mode", given(first, "mode")
    counts = (first.text(name) for name in ("subjects", "recordings", "seizures"))
    yield "Scope", "{} subjects, {} recordings, {} seizures, ".format(*counts) + f"{first.value('hours'):.2f} h"
    yield from card.evaluation(chapter)
    yield "Families and grids (number of settings)", grid_text(chapter) or None
    yield "Stages", card.stages + (", agreement" if chapter.has_agreement else "; no agreement")
    yield "Seed", given(first, "seed")
    yield "Scoring preset", given(first, "scoring_preset")


def _baseline_block(chapters: Sequence[Chapter]) -> Block:
    card = view_of(chapters[0]).card
    rows: list[tuple[str | None, ...]] = []
    known = [chapter.baseline for chapter in chapters if chapter.baseline is not None]
    for chapter in chapters:
        if chapter.baseline is None:
            rows.append((corpus_name(chapter), *([None] * len(card.heads))))
        else:
            rows.append((corpus_name(chapter), *card.scores([chapter.baseline])))
    if known:
        name = "pooled" if len(known) == len(chapters) else f"pooled over {len(known)} of {len(chapters)}"
        rows.append((name, *card.scores(known)))
    heads = ("Corpus", *card.heads)
    return Block("Baseline", heads, tuple(rows), "Scores of summed counts, on the unperturbed input.")


def _results_block(chapter: Chapter) -> Block:
    families: dict[str, list[Entry]] = {}
    for entry in chapter.entries:
        families.setdefault(entry.family, []).append(entry)
    heads = ("Figure", *(f"{family}, {end}" for family in families for end in ("mean of minima", "mean of maxima")))
    rows, card = [], view_of(chapter).card
    for metric, title in card.results.items():
        scale = SFREQ if metric.endswith("_steps") else 1.0
        ends = [family_range(entries, metric) for entries in families.values()]
        rows.append((title, *(shown(value / scale) for pair in ends for value in pair)))
    return Block(f"Results on {corpus_name(chapter)}", heads, tuple(rows), card.meaning)


def params_by_shift(chapter: Chapter) -> Iterator[tuple[str, str]]:
    """The whole grid: for each shift the parameters of its settings."""
    for shift, entries in chapter.by_shift().items():
        yield shift, "; ".join(json.dumps(entry.params, sort_keys=True) for entry in entries)
