"""The model card: what the definition says, what the registry knows, and what nobody gave."""

from pathlib import Path

import pytest
from reporting import scored

from pytest_robustseiz.card import model_card
from pytest_robustseiz.cardfacts import FACTS, FactsError, fact, project_facts, read_facts
from pytest_robustseiz.cli import main
from pytest_robustseiz.documents import Block, escaped, fields, markdown_table, to_html, to_markdown
from pytest_robustseiz.registry import append
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.reportdetection import CARD
from pytest_robustseiz.shifts import AWGN, Baseline, DropNamed

GRID = (Baseline(), AWGN(snr_db=5), AWGN(snr_db=0), DropNamed(electrodes=("O1",)))


def entry(shift: str, f1: float, number: int = 0, **cells: object) -> Entry:
    row = {
        "experiment_name": f"{shift}-{number}", "shift": shift, "category": "noise", "params_json": "{}",
        "adapter": "power", "data_dir": "/data/chbmit-bids", "event_f1": f1, "hours": 1.0, "mode": "full",
    }  # fmt: skip
    counts = {f"{level}_{name}": 0 for level in ("sample", "event") for name in ("tp", "fp", "reference")}
    return Entry(row | counts | cells)


def block(blocks: list[Block], title: str) -> dict[str | None, tuple[str | None, ...]]:
    [found] = [block for block in blocks if block.title.startswith(title)]
    return {row[0]: row[1:] for row in found.rows}


def baseline(folder: str, tp: int, fp: int, reference: int, hours: float) -> Entry:
    return entry("baseline", 0.5, data_dir=folder, event_tp=tp, event_fp=fp, event_reference=reference, hours=hours)


def test_results_are_the_mean_of_minima_and_the_mean_of_maxima() -> None:
    curve = [entry("awgn", f1, number) for number, f1 in enumerate((0.20, 0.37, 0.59, 0.81))]
    other = [entry("mains", f1, number) for number, f1 in enumerate((0.4, 0.6))]
    alone = model_card([Chapter(entry("baseline", 0.9), tuple(curve))], {})
    assert block(alone, "Results")["Event F1"] == ("0.2", "0.81")
    both = model_card([Chapter(entry("baseline", 0.9), (*curve, *other))], {})
    assert block(both, "Results")["Event F1"] == ("0.3", "0.705")


def test_results_hold_every_figure_in_its_unit() -> None:
    cells = {"event_tp": 3, "event_fp": 1, "event_reference": 5, "lag_mean_steps": 512.0, "onset_tp_count": 3}
    rows = block(model_card([Chapter(entry("baseline", 0.9), (entry("awgn", 0.5, **cells),))], {}), "Results")  # type: ignore[arg-type]
    assert set(rows) == set(CARD.results.values())
    assert rows["Event accuracy"] == ("0.5", "0.5")  # 3 / (3 + 1 + 2)
    assert rows["Mean Lag, s"] == ("2", "2")
    assert rows["Onsets detected"] == ("3", "3")
    assert rows["Mean phi"] == ("n/a", "n/a")


def test_the_baseline_is_given_for_each_corpus_and_from_summed_counts() -> None:
    chapters = [Chapter(baseline("/a/one", 1, 1, 2, 24.0), ()), Chapter(baseline("/a/two", 3, 0, 3, 24.0), ())]
    rows = block(model_card(chapters, {}), "Baseline")
    assert rows["one"][4:] == ("0.5", "0.5", "0.5", "1")
    assert rows["two"][4:] == ("1", "1", "1", "0")
    assert rows["pooled"][4:] == ("0.8", "0.8", "0.8", "0.5")  # of 4 found, 1 false, 5 events, 48 h
    without = block(model_card([chapters[0], Chapter(None, (entry("awgn", 0.5),))], {}), "Baseline")
    assert without["chbmit-bids"] == (None,) * 8
    assert "pooled over 1 of 2" in without


def test_what_nobody_gave_is_missing_and_facts_are_shown() -> None:
    chapter = Chapter(entry("baseline", 0.9), ())
    nothing = to_markdown("Card", model_card([chapter], {}))
    for title in (*FACTS["contact"].values(), *FACTS["model"].values()):
        assert f"| {title} | **missing** |" in nothing
    facts = {section: {name: f"{section} {name}" for name in names} for section, names in FACTS.items()}
    full = to_markdown("Card", model_card([chapter], facts))
    assert "| E-mail | contact email |" in full
    assert "| Decision threshold | model threshold |" in full
    assert full.count("**missing**") < nothing.count("**missing**")


def test_facts_are_read_from_a_file_of_their_own_and_from_pyproject(tmp_path: Path) -> None:
    own = tmp_path / "facts.toml"
    own.write_text('[model]\nthreshold = 0.8\nlicence = ""\n[data]\nsubject_disjoint = true\nread_only = false\n')
    facts = read_facts(own)
    assert fact(facts, "model", "threshold") == "0.8"
    assert fact(facts, "model", "licence") is None
    assert (fact(facts, "data", "subject_disjoint"), fact(facts, "data", "read_only")) == ("yes", "no")
    assert project_facts(tmp_path) == {}
    (tmp_path / "pyproject.toml").write_text('[tool.robustseiz.card.contact]\nname = "A"\n[tool.other]\nx = 1\n')
    assert project_facts(tmp_path) == {"contact": {"name": "A"}}


@pytest.mark.parametrize(
    "text, message",
    [
        ("[modl]\nname = 1\n", r"facts.toml: unknown section \[modl\]; there are contact, model"),
        ("[model]\nname = 1\n", "unknown model.name; there are description"),
        ("[model]\nweights = [1]\n", r"model.weights: expected text, a number, true, false or a date, got \[1\]"),
        ("model = 1\n", r"model: expected a section \[model\] with description"),
        ("[model\n", "not a TOML file"),
    ],
)
def test_wrong_facts_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "facts.toml").write_text(text)
    with pytest.raises(FactsError, match=message):
        read_facts(tmp_path / "facts.toml")


def test_tables_survive_what_names_may_hold() -> None:
    assert escaped("a|b*`\\ <i>\n& c") == "a\\|b\\*\\`\\\\ &lt;i> &amp; c"
    assert markdown_table(("x",), [("a\nb",), (None,)]) == "| x |\n| --- |\n| a b |\n| **missing** |\n"
    assert '<strong class="missing">missing</strong>' in to_html([fields("T", [("<a>", None)])])


def test_the_command_writes_the_card_of_a_registry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    registry, facts = tmp_path / "r.csv", tmp_path / "facts.toml"
    append(registry, [row for _, row in scored(GRID)])
    facts.write_text('[contact]\nemail = "eeg@hospital.example"\n')
    assert main(["card", str(registry), "--facts", str(facts), "--out", str(tmp_path / "CARD.md")]) == 0
    text = (tmp_path / "CARD.md").read_text()
    assert text.startswith('# Model card: a "detector" &lt;1>\n')
    assert "| E-mail | eeg@hospital.example |" in text
    assert "environment: drop_named (1)" in text
    assert "noise: awgn (2)" in text
    assert main(["card", str(registry)]) == 0
    assert "| E-mail | **missing** |" in capsys.readouterr().out


def test_the_command_wants_one_detector_and_says_what_it_leaves_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = tmp_path / "r.csv"
    append(registry, [row for _, row in scored(GRID, adapter="one")])
    append(registry, [row for _, row in scored(GRID, adapter="two")])
    append(registry, [dict(row) | {"mode": "subset", "subjects": 2} for _, row in scored(GRID, adapter="two")])
    assert main(["card", str(registry)]) == 2
    assert "has several detectors: choose by --detector from one, two" in capsys.readouterr().err
    assert main(["card", str(registry), "--detector", "three"]) == 2
    assert "no 'three'" in capsys.readouterr().err
    assert main(["card", str(registry), "--detector", "two"]) == 0
    captured = capsys.readouterr()
    assert "| Mode | full |" in captured.out
    assert "| Mode | subset |" not in captured.out
    assert "left out: 4 rows of 2026-01-02T03:04:05Z, subset, seed 7" in captured.err
