"""Notes that say the same are counted together; what differs in more than figures is not."""

from pytest_robustseiz.change import InputChange
from pytest_robustseiz.readingnotes import note_counts, note_kinds, note_lines
from pytest_robustseiz.results import RecordingResult


def recording(stem: str, *notes: str) -> RecordingResult:
    return RecordingResult(
        folder="sub-01/eeg", stem=stem, content="c0ffee", duration_s=1.0, start=None, seizures=0,
        change=InputChange(0.0, 1.0, 0, 1), figures={}, notes=notes,
    )  # fmt: skip


def test_figures_make_no_kind_and_rates_and_names_do() -> None:
    found = note_kinds(
        [
            recording(
                "a", "resampled from 200 Hz to 256 Hz", "took away (43.6 uV RMS): T3", "states -5 s, has 1.2e+03 s"
            ),
            recording(
                "b", "resampled from 249.98 Hz to 256 Hz", "took away (8.2 uV RMS): T3", "states 60 s, has 7.5 s"
            ),
            recording("c", "resampled from 200 Hz to 256 Hz", "took away (1 uV RMS): T4"),
        ]
    )
    assert {kind: len(notes) for kind, notes in found.items()} == {
        "resampled from 200 Hz to 256 Hz": 2,
        "took away: T3": 2,
        "states # s, has # s": 2,
        "resampled from 249.98 Hz to 256 Hz": 1,
        "took away: T4": 1,
    }
    assert found["took away: T3"] == ["a: took away (43.6 uV RMS): T3", "b: took away (8.2 uV RMS): T3"]


def test_the_summary_shows_one_of_each_kind() -> None:
    lines = note_lines([recording("a", "x (1)", "rare"), recording("b", "x (2)")])
    assert lines == ["notes on the recordings:", "  a: x (1) (and 1 more like it)", "  a: rare"]
    assert note_lines([recording("a")]) == []
    many = note_lines([recording("a", *(f"note {letter}" for letter in "abcdefg"))], most=3)
    assert many[1:] == ["  a: note a", "  a: note b", "  a: note c", "  and 4 more kinds"]


def test_the_registry_counts_them_and_takes_the_rarest_together() -> None:
    recordings = [recording("a", "x", "y", "z"), recording("b", "y", "z"), recording("c", "z")]
    assert note_counts(recordings) == {"z": 3, "y": 2, "x": 1}
    assert note_counts(recordings, most=1) == {"z": 3, "2 other kinds": 3}
