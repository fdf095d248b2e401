"""The gallery: what is drawn, what is written beside it, and that the page needs nothing else."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tiny import make_corpus

from pytest_robustseiz.cli import main
from pytest_robustseiz.drawing import path_data, round_number, thinned
from pytest_robustseiz.gallery import Gallery, make_gallery, shown_rows
from pytest_robustseiz.gallerypage import render
from pytest_robustseiz.montage import DOUBLE_BANANA, Montage
from pytest_robustseiz.panels import spectrum
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.shifts import AWGN, CAR, ELECTRODES, DropNamed, Mains, Notch, paper_grid, smoke_grid
from pytest_robustseiz.stretch import StretchError, cut, load

VOID = {"meta", "path", "line", "use"}  # the last three are closed by the slash of SVG


class Page(HTMLParser):
    """Collects what a test asks of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.drawings: list[dict[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "link", "img", "iframe"}
        given = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in {"href", "src"} and value]
        if given.get("class") == "drawing":
            self.drawings.append(given)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def recording(*, channels: tuple[str, ...] = ELECTRODES, missing: tuple[str, ...] = ()) -> Recording:
    """Synthetic: 100 s of noise of 30 uV."""
    eeg = np.random.default_rng(5).normal(0, 30, (len(channels), 25600)).astype(np.float32)
    eeg[[channels.index(name) for name in missing]] = 0
    montage: Montage = "unipolar" if channels == ELECTRODES else "bipolar"
    notes = ("a note < 1",)
    return Recording("sub-01", "sub-01_run-00", "sub-01/eeg", eeg, 256.0, channels, montage, (), None, missing, notes)


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    grid = (*smoke_grid(), Notch(freqs_hz=()), DropNamed(electrodes=("F8",)))
    return make_gallery(cut(recording(), start_s=40.0, seconds=4.0), grid)


def test_the_page_needs_nothing_else_and_is_closed_properly(gallery: Gallery) -> None:
    text = render(gallery, about="Synthetic < real.")
    page = Page(text)
    assert page.open == []
    assert page.links
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert len(page.ids) == len(set(page.ids))
    assert "url(" not in text
    assert "http" not in text
    assert "prefers-color-scheme: dark" in text
    assert "Synthetic < real." in page.words
    assert "About this recording: a note < 1." in page.words


def test_every_setting_has_three_drawings_with_a_text(gallery: Gallery) -> None:
    page = Page(render(gallery))
    labels = [setting.label for setting in smoke_grid()[1:] if setting.family != "adversarial"]
    labels += ["notch-freqs_hz_none", "drop_named-electrodes_F8"]
    assert [picture.setting.label for picture in gallery.pictures] == labels
    assert set(labels) <= set(page.ids)
    texts = [drawing["aria-label"] or "" for drawing in page.drawings]
    by_shift = sorted(
        labels, key=lambda label: [other.partition("-")[0] for other in labels].index(label.partition("-")[0])
    )
    assert [text.partition(":")[0] for text in texts] == [label for label in by_shift for _ in range(3)]
    assert all(drawing["role"] == "img" for drawing in page.drawings)
    assert texts[0] == "car: 4 s of Fp1, O1, T3, Cz, P4, before and after"


def test_attacks_are_left_out_and_said(gallery: Gallery) -> None:
    attacks = sum(setting.family == "adversarial" for setting in smoke_grid())
    assert gallery.attacks == attacks
    assert "Attacks are not shown: they follow the gradient of a detector" in render(gallery)


def test_figures_are_those_of_the_stretch(gallery: Gallery) -> None:
    [picture] = [picture for picture in gallery.pictures if picture.setting == AWGN(snr_db=5.0)]
    assert picture.change.relative == pytest.approx(10 ** (-5 / 20), rel=1e-3)
    assert picture.figures["measured_snr_db"] == pytest.approx(5.0, abs=0.1)
    assert picture.changed_channels == 19
    words = " ".join(Page(render(gallery)).words)
    assert re.search(r"awgn-snr_db_5 snr_db=5 changed channels 19 RMS of the change 16\.\d µV", words)
    assert re.search(r"relative to the signal 56\.2 % share of samples changed 100 % measured_snr_db 5", words)


def test_what_changed_nothing_is_said_and_drawn_as_it_was(gallery: Gallery) -> None:
    [picture] = [picture for picture in gallery.pictures if picture.setting == Notch(freqs_hz=())]
    text = render(gallery)
    assert text.count("This setting changed nothing.") == 1
    after = re.findall(r'class="after" d="([^"]+)"', picture.traces)
    before = dict(re.findall(r'<path id="(t\d+)" d="([^"]+)"', gallery.definitions))
    shown = re.findall(r'href="#(t\d+)"', picture.traces)
    assert [before[name] for name in shown] == after
    assert len(after) == 5


def test_the_average_of_averaged_channels_is_rounding() -> None:
    averaged = recording()
    eeg = averaged.eeg - averaged.eeg.mean(axis=0)
    again = Recording("s", "s", "s", eeg, 256.0, ELECTRODES, "unipolar", (), None, (), ())
    text = render(make_gallery(cut(again, start_s=None, seconds=4.0), [CAR()]))
    assert "This setting changed nothing but rounding." in text


def test_changed_channels_are_among_those_drawn(gallery: Gallery) -> None:
    [picture] = [picture for picture in gallery.pictures if picture.setting == DropNamed(electrodes=("F8",))]
    row = ELECTRODES.index("F8")
    assert f'href="#t{row}"' in picture.traces
    assert f'href="#m{row}"' in picture.minute
    assert f'href="#p{row}"' in picture.spectra
    assert "after: no power left" in picture.spectra


def test_an_offset_that_goes_away_is_seen() -> None:
    apart = recording()
    eeg = apart.eeg.copy()
    eeg[0] += 60
    apart = Recording("s", "s", "s", eeg, 256.0, ELECTRODES, "unipolar", (), None, (), ())
    gallery = make_gallery(cut(apart, start_s=None, seconds=4.0), [DropNamed(electrodes=("Fp1",))])
    dropped = re.findall(r'class="after" d="M0 (-?\d+)', gallery.pictures[0].traces)[0]
    assert int(dropped) > 50  # 60 uV below the mean of before; positive is up, and y grows downwards


def test_usual_channels_changed_ones_and_missing_ones() -> None:
    usual = [ELECTRODES.index(name) for name in ("Fp1", "O1", "T3", "Cz", "P4")]
    assert shown_rows(recording(), []) == shown_rows(recording(), range(19)) == usual
    assert shown_rows(recording(), [2]) == sorted([2, *usual[:1], *usual[2:]])  # in place of the last in rank, O1
    assert sum(row in (1, 2, 3, 5, 7) for row in shown_rows(recording(), [1, 2, 3, 5, 7])) == 3
    without = shown_rows(recording(missing=("Cz",)), [])
    assert len(without) == 5
    assert ELECTRODES.index("Cz") not in without
    assert len(set(shown_rows(recording(channels=DOUBLE_BANANA), []))) == 5


def test_settings_without_meaning_are_said() -> None:
    stretch = cut(recording(channels=DOUBLE_BANANA), start_s=None, seconds=4.0)
    gallery = make_gallery(stretch, [CAR(), Mains(amplitude_ratio=0.1)])
    assert [picture.setting.name for picture in gallery.pictures] == ["mains"]
    assert "Not applicable: car: the pairs of a bipolar montage" in render(gallery)


def test_what_cannot_act_is_an_error_that_names_the_setting() -> None:
    stretch = cut(recording(), start_s=None, seconds=4.0)
    with pytest.raises(ValueError, match=r"^mains-freq_hz_200-amplitude_ratio_1: .*Nyquist"):
        make_gallery(stretch, [Mains(freq_hz=200.0, amplitude_ratio=1.0)])


def test_the_stretch_holds_the_onset(tiny_corpus: Path) -> None:
    read = load(str(tiny_corpus), None)
    stretch = cut(read, start_s=None, seconds=4.0)
    assert stretch.seconds(stretch.view) == (99.0, 103.0)
    assert stretch.seconds(stretch.minute) == (71.0, 131.0)
    assert stretch.eeg.shape == (19, 300 * 256)
    assert np.array_equal(stretch.eeg[:, stretch.view], read.eeg[:, 99 * 256 : 103 * 256])
    assert cut(read, start_s=296.0, seconds=4.0).minute == slice(240 * 256, 300 * 256)


def test_the_first_recording_with_a_seizure_is_taken(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", {"sub-01": [], "sub-02": [(1.0, 9.0)]}, duration_s=20)
    assert load(str(corpus), None).subject == "sub-02"
    assert load(str(corpus), "sub-01_ses-01_task-szMonitoring_run-00").subject == "sub-01"
    quiet = make_corpus(tmp_path / "quiet", {"sub-01": []}, duration_s=20)
    stretch = cut(load(str(quiet), None), start_s=None, seconds=4.0)
    assert stretch.seconds(stretch.view) == (8.0, 12.0)


def test_only_a_part_of_a_long_recording_is_used() -> None:
    eeg = np.zeros((19, 2000 * 256), np.float32)
    long = Recording("s", "s", "s", eeg, 256.0, ELECTRODES, "unipolar", (), None, (), ())
    stretch = cut(long, start_s=1000.0, seconds=4.0)
    assert stretch.seconds(slice(0, stretch.eeg.shape[1])) == (852.0, 1152.0)
    assert stretch.seconds(stretch.view) == (1000.0, 1004.0)


@pytest.mark.parametrize(
    "start_s, seconds, message",
    [
        (97.0, 4.0, r"^sub-01_run-00: start must be between 0 and 96 s, got 97$"),
        (-1.0, 4.0, r"start must be between 0 and 96 s, got -1$"),
        (float("nan"), 4.0, r"start must be between 0 and 96 s, got nan$"),
        (None, 101.0, r"has 100 s, which is less than the 101 s to draw$"),
    ],
)
def test_a_stretch_that_is_not_there(start_s: float | None, seconds: float, message: str) -> None:
    with pytest.raises(StretchError, match=message):
        cut(recording(), start_s=start_s, seconds=seconds)


def test_a_thinned_line_keeps_every_spike() -> None:
    y = np.random.default_rng(1).normal(size=100_000)
    y[[777, 50_001]] = 40.0, -40.0
    x = np.arange(y.size, dtype=np.float64)
    kept_x, kept_y = thinned(x, y, 300)
    assert kept_x.size == 600
    assert np.all(np.diff(kept_x) > 0)
    assert np.array_equal(kept_y, y[kept_x.astype(int)])
    for low in range(0, 300):
        inside = np.flatnonzero((x / x[-1] * 300).astype(int).clip(max=299) == low)
        assert {y[inside].min(), y[inside].max()} <= set(kept_y)
    assert thinned(x[:600], y[:600], 300)[0].size == 600


def test_a_path_passes_through_its_points() -> None:
    x, y = np.array([0.0, 1.0, 2.0, 5.0]), np.array([3.2, -7.0, -7.4, 100.0])
    data = path_data(x, y)
    start, _, steps = data.partition("l")
    numbers = [int(number) for number in re.findall(r"-?\d+", steps)]
    points = np.cumsum([[0, 3], *zip(numbers[::2], numbers[1::2], strict=True)], axis=0)
    assert start == "M0 3"
    assert points.tolist() == [[0, 3], [1, -7], [2, -7], [5, 100]]
    assert path_data(x[:0], y[:0]) == ""
    assert path_data(x[:1], y[:1]) == "M0 3"


@pytest.mark.parametrize("value, rounded", [(1.0, 1), (4.99, 2), (5.0, 5), (99.0, 50), (0.03, 0.02), (1e-6, 1e-6)])
def test_round_numbers(value: float, rounded: float) -> None:
    assert round_number(value) == pytest.approx(rounded)


def test_spectrum_of_white_noise_and_of_a_sine() -> None:
    noise = np.random.default_rng(2).normal(0, 8, 300 * 256).astype(np.float32)
    freqs_hz, power = spectrum(noise, 256.0)
    assert freqs_hz[0] == pytest.approx(0.05)
    assert np.all(np.diff(freqs_hz) > 0)
    assert power[freqs_hz > 20].mean() == pytest.approx(8**2 / 128, rel=0.03)
    sine = 50 * np.sin(2 * np.pi * 10 * np.arange(300 * 256) / 256)
    freqs_hz, power = spectrum(sine.astype(np.float32), 256.0)
    assert freqs_hz[power.argmax()] == pytest.approx(10, rel=0.01)


def test_the_command_writes_a_page_of_the_whole_grid(
    tiny_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "gallery.html"
    assert main(["gallery", str(out), f"--data={tiny_corpus}"]) == 0
    settings = [setting for setting in paper_grid()[1:] if setting.family != "adversarial"]
    stem = "sub-01_ses-01_task-szMonitoring_run-00"
    assert capsys.readouterr().out == f"{out}: {len(settings)} settings on {stem}\n"
    text = out.read_text(encoding="utf-8")
    assert len(Page(text).drawings) == 3 * len(settings)
    assert len(text) < 10_000_000
    assert "Synthetic demo EEG" not in text


def test_the_demo_is_called_synthetic(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text("awgn = [{ snr_db = 10 }]\n")
    out = tmp_path / "gallery.html"
    assert main(["gallery", str(out), f"--grid={grid}", "--seconds=2", "--start=10", "--seed=3"]) == 0
    text = out.read_text(encoding="utf-8")
    assert "Synthetic demo EEG: no person was recorded." in text
    assert "awgn-snr_db_10: 2 s of" in text
    assert "Seed 3;" in text


def test_real_eeg(shared_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "gallery.html"
    stem = "sub-emu01_ses-01_task-szMonitoring_run-00"
    assert (
        main(["gallery", str(out), f"--data={shared_data / 'real-bids'}", f"--recording={stem}", "--grid=smoke"]) == 0
    )
    assert len(Page(out.read_text(encoding="utf-8")).drawings) == 3 * 12


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["--data=gone"], 1, "gone: no such folder; a corpus is"),
        (["--recording=sub-09"], 1, "no recording 'sub-09'; there are sub-01_ses-01_task-szMonitoring_run-00, sub-02"),
        (["--start=299"], 1, "start must be between 0 and 296 s, got 299"),
        (["--seconds=61"], 2, "--seconds: expected 0.5 to 60, got 61"),
        (["--seconds=nan"], 2, "--seconds: expected 0.5 to 60, got nan"),
        (["--seed=-1"], 2, "--seed: expected 0 or more, got -1"),
        (["--grid=papre"], 2, "--grid: unknown grid 'papre'"),
    ],
)
def test_mistakes_are_one_line(
    tiny_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    out = tmp_path / "gallery.html"
    assert main(["gallery", str(out), f"--data={tiny_corpus}", *arguments]) == code
    error = capsys.readouterr().err
    assert error.startswith("robustseiz gallery: error: ")
    assert message in error
    assert not out.exists()


def test_a_page_that_cannot_be_written(tiny_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text("car = [{}]\n")
    out = tmp_path / "gone" / "gallery.html"
    assert main(["gallery", str(out), f"--data={tiny_corpus}", f"--grid={grid}"]) == 1
    assert capsys.readouterr().err == f"robustseiz gallery: error: {out}: No such file or directory\n"
