"""Cells of a registry row that the rows of either task have."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pytest_robustseiz import __version__
from pytest_robustseiz.corpusfacts import CorpusFacts
from pytest_robustseiz.intervals import Figure, SubjectCounts, figure_interval
from pytest_robustseiz.readingnotes import note_counts
from pytest_robustseiz.results import ExperimentResult
from pytest_robustseiz.scoring import STRATA

HEAD = ("timestamp_utc", "experiment_name", "category", "shift", "data_dir", "output_dir", "params_json")
AGREEMENT = (*(f"mcd_{name}_agreement" for name in STRATA), "mcd_file_count")
OWN_AGREEMENT = (
    *(f"mcd_{name}_files" for name in STRATA[1:]), "mcd_disagreement", "mcd_entropy_bits", "mcd_calibration_error",
)  # fmt: skip
# What the corpus says of itself.
CORPUS_COLUMNS = ("corpus_name", "corpus_version", "corpus_split")


@dataclass(frozen=True)
class RunFacts:
    """What all rows of a run share.

    Attributes
    ----------
    timestamp : datetime
        End of the run, UTC.
    data_dir, output_dir : str
        Folders.
    mode : str
        "full" or "subset".
    seed : int
        Of the random shifts.
    corpus : CorpusFacts
        What the corpus says of itself.
    training_subjects : int or None
        How many subjects of the training the author named, all of them outside of the scope; None where none.
    protocol : str
        Of the prediction task, "1" to "4"; empty where none was asked for.
    """

    timestamp: datetime
    data_dir: str
    output_dir: str
    mode: str
    seed: int
    corpus: CorpusFacts = field(default_factory=CorpusFacts)
    training_subjects: int | None = None
    protocol: str = ""


def shared_cells(
    experiment: ExperimentResult, *, adapter: str, fingerprint: str, corpus: str, facts: RunFacts
) -> dict[str, object]:
    """Cells whatever the task; arguments as `pytest_robustseiz.registry.make_row`."""
    setting, scores = experiment.setting, experiment.scores
    recordings = [recording for case in experiment.cases for recording in case.recordings]
    return {
        "timestamp_utc": facts.timestamp.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "experiment_name": setting.label,
        "category": setting.family,
        "shift": setting.shift,
        "data_dir": facts.data_dir,
        "output_dir": facts.output_dir,
        "params_json": setting.params_json,
        **scores.metrics(),
        **agreement_cells(experiment),
        "mode": facts.mode,
        "subjects": len(experiment.cases),
        "recordings": len(recordings),
        "hours": scores.duration_s / 3600,
        "seizures": scores.seizures,
        "adapter": adapter,
        "adapter_fingerprint": fingerprint,
        "corpus_fingerprint": corpus,
        "seed": facts.seed,
        "change_rms_uv": scores.change.rms_uv,
        "change_relative": scores.change.relative,
        "change_share": scores.change.share_changed,
        "shift_figures_json": json.dumps(experiment.figures(), sort_keys=True),
        "attack_outcome_json": json.dumps(scores.outcome.figures(), sort_keys=True) if scores.outcome else None,
        "package_version": __version__,
        **corpus_cells(facts),
        "reading_json": json.dumps(note_counts(recordings)),
    }


def corpus_cells(facts: RunFacts) -> dict[str, object]:
    """Cells on the corpus and the training, empty where nothing is known."""
    values = (facts.corpus.name, facts.corpus.version, facts.corpus.split)
    cells: dict[str, object] = dict(zip(CORPUS_COLUMNS, values, strict=True))
    return {**cells, "training_subjects": facts.training_subjects}


def agreement_cells(experiment: ExperimentResult) -> dict[str, object]:
    """T and tau, or the reason why the stage did not run; its cells are empty then."""
    recordings = [recording for case in experiment.cases for recording in case.recordings]
    stage = next((recording.agreement for recording in recordings if recording.agreement is not None), None)
    if stage is not None:
        return {"T": stage.passes, "tau": stage.tau, "mcd_unavailable": None}
    reason = next((recording.no_agreement for recording in recordings if recording.no_agreement), None)
    cells: dict[str, object] = {"mcd_unavailable": reason}
    cells.update(dict.fromkeys((*AGREEMENT, *OWN_AGREEMENT, "T", "tau")))
    return cells


def interval_cells(counts: SubjectCounts, figures: Mapping[str, Figure], *, seed: int) -> dict[str, object]:
    """Ends of the 95 % intervals over subjects, by column of the figure; empty where none can be given."""
    cells: dict[str, object] = {}
    for column, figure in figures.items():
        found = figure_interval(counts, figure, seed=seed)
        cells[f"{column}_ci_low"] = None if found.reason else found.low
        cells[f"{column}_ci_high"] = None if found.reason else found.high
    return cells
