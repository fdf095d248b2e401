"""The model card: who made a detector, and how it does with and without shifts."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence

from pytest_robustseiz.cardfacts import FACTS, Facts, fact
from pytest_robustseiz.documents import Block, fields
from pytest_robustseiz.reportdata import SFREQ, Chapter, Entry
from pytest_robustseiz.reportfigures import family_range
from pytest_robustseiz.scoring import Counts

# Column, head and unit of the results block.
RESULTS = {
    "event_f1": "Event F1",
    "event_fp_per_day": "Event FP/24h",
    "event_accuracy": "Event accuracy",
    "event_sensitivity": "Event sensitivity",
    "lead_mean_steps": "Mean Lead, s",
    "lag_mean_steps": "Mean Lag, s",
    "onset_tp_count": "Onsets detected",
    "ontime_count": "Onsets on time",
    "mcd_mean_agreement": "Mean phi",
}
SCORES = ("sensitivity", "precision", "F1", "FP/24h")
BASELINE_HEADS = ("Corpus", *(f"{level} {name}" for level in ("Sample", "Event") for name in SCORES))
MEANING = (
    "For each shift the least and the largest value over its settings; then the mean of the least and the mean of the "
    "largest over the shifts of the family. Event accuracy is tp / (tp + fp + fn)."
)


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
        *(_results_block(chapter) for chapter in chapters),
    ]


def corpus_name(chapter: Chapter) -> str:
    """Name of a corpus: its folder."""
    return chapter.first.text("data_dir").rstrip("/\\").replace("\\", "/").rpartition("/")[2] or "unnamed corpus"


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
    for name, title in FACTS["model"].items():
        yield title, fact(facts, "model", name)


def _evaluation(chapter: Chapter, facts: Facts) -> Iterator[tuple[str, str | None]]:
    first = chapter.first
    yield "Corpus", fact(facts, "data", "name") or corpus_name(chapter)
    yield "Corpus fingerprint", given(first, "corpus_fingerprint")
    yield "Mode", given(first, "mode")
    counts = (first.text(name) for name in ("subjects", "recordings", "seizures"))
    yield "Scope", "{} subjects, {} recordings, {} seizures, ".format(*counts) + f"{first.value('hours'):.2f} h"
    yield "Families and grids (number of settings)", grid_text(chapter) or None
    yield "Stages", "accuracy, onset timing" + (", agreement" if chapter.has_agreement else "; no agreement")
    yield "Seed", given(first, "seed")
    yield "Scoring preset", given(first, "scoring_preset")


def _baseline_block(chapters: Sequence[Chapter]) -> Block:
    rows: list[tuple[str | None, ...]] = []
    known = [chapter.baseline for chapter in chapters if chapter.baseline is not None]
    for chapter in chapters:
        if chapter.baseline is None:
            rows.append((corpus_name(chapter), *([None] * (len(BASELINE_HEADS) - 1))))
        else:
            rows.append((corpus_name(chapter), *_scores([chapter.baseline])))
    if known:
        name = "pooled" if len(known) == len(chapters) else f"pooled over {len(known)} of {len(chapters)}"
        rows.append((name, *_scores(known)))
    return Block("Baseline", BASELINE_HEADS, tuple(rows), "Scores of summed counts, on the unperturbed input.")


def _scores(entries: Sequence[Entry]) -> Iterator[str]:
    for level in ("sample", "event"):
        counts = _pooled(entries, level)
        yield from (shown(value) for value in (counts.sensitivity, counts.precision, counts.f1, counts.fp_per_day))


def _pooled(entries: Iterable[Entry], level: str) -> Counts:
    total = Counts(0, 0, 0, 0.0)
    for entry in entries:
        tp, fp, reference = (int(entry.value(f"{level}_{name}")) for name in ("tp", "fp", "reference"))
        total += Counts(tp, fp, reference, entry.value("hours") * 3600)
    return total


def _results_block(chapter: Chapter) -> Block:
    families: dict[str, list[Entry]] = {}
    for entry in chapter.entries:
        families.setdefault(entry.family, []).append(entry)
    heads = ("Figure", *(f"{family}, {end}" for family in families for end in ("mean of minima", "mean of maxima")))
    rows = []
    for metric, title in RESULTS.items():
        scale = SFREQ if metric.endswith("_steps") else 1.0
        ends = [family_range(entries, metric) for entries in families.values()]
        rows.append((title, *(shown(value / scale) for pair in ends for value in pair)))
    return Block(f"Results on {corpus_name(chapter)}", heads, tuple(rows), MEANING)


def shown(value: float) -> str:
    """A figure of a card."""
    return "n/a" if math.isnan(value) else f"{value:.4g}"


def params_by_shift(chapter: Chapter) -> Iterator[tuple[str, str]]:
    """The whole grid: for each shift the parameters of its settings."""
    for shift, entries in chapter.by_shift().items():
        yield shift, "; ".join(json.dumps(entry.params, sort_keys=True) for entry in entries)
