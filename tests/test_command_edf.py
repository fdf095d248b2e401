"""Recordings as EDF files, read back by libraries that did not write them."""

import math
import re
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import edfio
import mne
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pytest_robustseiz.adapters.command_edf import MOST_UV, RECORD_BYTES, choose_record, write_edf
from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import read_recording

pyedflib = pytest.importorskip("pyedflib", reason="reads the files independently; comes with the extra convert")

AVERAGE = [f"{name}-Avg" for name in ELECTRODES]
STEPS = 2**16 - 1


def read_independently(path: Path) -> tuple[np.ndarray, list[str], float]:
    """Microvolts, labels and rate by pyedflib."""
    with pyedflib.EdfReader(str(path)) as reader:
        eeg = np.array([reader.readSignal(i) for i in range(reader.signals_in_file)])
        return eeg, reader.getSignalLabels(), float(reader.getSampleFrequency(0))


def header_field(path: Path, start: int, length: int) -> str:
    return path.read_bytes()[start : start + length].decode("ascii").rstrip()


def noise(n_samples: int, n_channels: int = 19, *, sd_uv: float = 50.0) -> np.ndarray:
    return np.random.default_rng(0).normal(0, sd_uv, (n_channels, n_samples)).astype(np.float32)


@st.composite
def recordings(draw: st.DrawFn) -> np.ndarray:
    """Any finite content, of any magnitude and offset that a header can hold."""
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 700)))
    largest = draw(st.sampled_from([2.0**-20, 1.0, 300.0, 5000.0, float(MOST_UV)]))
    return draw(arrays(np.float32, shape, elements=st.floats(-largest, largest, width=32)))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(eeg=recordings())
@example(eeg=np.array([[0.0, 0.0], [-0.0, 0.0]], dtype=np.float32))
@example(eeg=np.array([[100.3] * 5, [-MOST_UV] * 5, [MOST_UV] * 5], dtype=np.float32))
@example(eeg=np.array([[-MOST_UV, MOST_UV], [1e-30, 2e-30], [-1e-7, 0.0]], dtype=np.float32))
@example(eeg=np.array([[123456.78, 123456.8], [-9999.99, 0.001], [0.1, 0.2]], dtype=np.float32))
def test_every_value_comes_back_within_half_a_step(tmp_path: Path, eeg: np.ndarray) -> None:
    path = tmp_path / "a.edf"
    written = write_edf(path, eeg, 256.0, [f"C{i}" for i in range(len(eeg))])
    back, _, sfreq = read_independently(path)
    assert sfreq == 256.0
    n_samples = eeg.shape[1]
    assert back.shape == (len(eeg), n_samples + written.added_samples)
    assert written.added_samples == -n_samples % 4 or back.shape[1] == n_samples
    signals = edfio.read_edf(path).signals
    for channel, own, signal, step in zip(back, eeg.astype(np.float64), signals, written.step_uv, strict=True):
        low, high = signal.physical_range
        assert low <= own.min()
        assert own.max() <= high
        half = (high - low) / STEPS / 2
        rounding = 1e-9 * half + 1e-12 * max(abs(low), abs(high))  # of the reader's arithmetic
        assert np.abs(channel[:n_samples] - own).max() <= half + rounding
        assert step == (0.0 if own.min() == own.max() else pytest.approx(2 * half))
        assert (channel[n_samples:] == channel[n_samples - 1]).all()


@pytest.mark.parametrize(
    "n_samples, expected",
    [
        (256 * 10, (256, 0)),
        (256 * 3 + 128, (224, 0)),
        (4 * 641, (4, 0)),  # 641 is a prime number
        (4, (4, 0)),
        (2559, (256, 1)),
        (2562, (4, 2)),
        (257, (260, 3)),
        (1, (4, 3)),
    ],
)
def test_the_length_is_kept_and_the_rate_is_exact(tmp_path: Path, n_samples: int, expected: tuple[int, int]) -> None:
    eeg = noise(n_samples)
    path = tmp_path / "a.edf"
    written = write_edf(path, eeg, 256.0, AVERAGE)
    record, _ = choose_record(19, n_samples, 256.0)
    assert (record, written.added_samples) == expected
    raw = mne.io.read_raw_edf(path, preload=True, verbose="error")
    assert raw.info["sfreq"] == 256.0
    assert raw.n_times == n_samples + written.added_samples
    assert raw.ch_names == AVERAGE
    back = np.asarray(raw.get_data(units="uV"))[:, :n_samples]
    assert np.abs(back - eeg).max() <= max(written.step_uv) / 2 * (1 + 1e-6) + 1e-7
    assert path.stat().st_size == 256 * 20 + 2 * 19 * raw.n_times


@pytest.mark.parametrize("sfreq", [100.0, 200.0, 250.0, 250 / 1.00008, 256.0, 512.0, 1000.0, 0.5])
@pytest.mark.parametrize("n_samples", [1, 7, 1000, 1001, 1250])
def test_any_rate_that_a_header_can_state_is_exact(tmp_path: Path, sfreq: float, n_samples: int) -> None:
    written = write_edf(tmp_path / "a.edf", noise(n_samples, 2), sfreq, ["C3", "C4"])
    signal = edfio.read_edf(tmp_path / "a.edf").signals[0]
    assert signal.sampling_frequency == sfreq
    assert len(signal.data) == n_samples + written.added_samples


@pytest.mark.parametrize("sfreq", [256.0001, 1e-3, math.pi])
def test_a_rate_that_no_header_can_state_is_an_error(tmp_path: Path, sfreq: float) -> None:
    with pytest.raises(ValueError, match=r"cannot state .* Hz exactly in eight characters; resample to 256 Hz"):
        write_edf(tmp_path / "a.edf", noise(100, 1), sfreq, ["C3"])


def test_the_header_is_anonymous_and_plain(tmp_path: Path) -> None:
    path = tmp_path / "a.edf"
    write_edf(path, noise(2560, sd_uv=0.001), 256.0, AVERAGE)
    assert header_field(path, 0, 8) == "0"
    assert header_field(path, 8, 80) == "X X X X"
    assert header_field(path, 88, 80) == "Startdate X X X X"
    assert header_field(path, 168, 16) == "01.01.8500.00.00"
    assert header_field(path, 192, 44) == ""  # plain EDF
    assert (header_field(path, 236, 8), header_field(path, 244, 8)) == ("10", "1")
    limits = [header_field(path, 256 + 19 * 104 + 8 * i, 8) for i in range(38)]
    assert all(re.fullmatch(r"-?0\.0\d+", limit) for limit in limits)  # no exponent, though they are small


@pytest.mark.parametrize("n_channels", [1, 18, 19])
@pytest.mark.parametrize("n_samples", [1, 2560, 92_160, 92_162, 92_164])
def test_data_records_are_small_enough_for_every_reader(n_channels: int, n_samples: int) -> None:
    record, _ = choose_record(n_channels, n_samples, 256.0)
    assert 2 * n_channels * record <= RECORD_BYTES


def test_silence_stays_silent_in_every_reader(tmp_path: Path) -> None:
    eeg = noise(1024)
    eeg[3] = 0
    eeg[7] = -12.5
    path = tmp_path / "a.edf"
    written = write_edf(path, eeg, 256.0, AVERAGE)
    assert written.step_uv[3] == written.step_uv[7] == 0.0
    readers = [
        read_independently(path)[0],
        mne.io.read_raw_edf(path, preload=True, verbose="error").get_data(units="uV"),
        np.array([signal.data for signal in edfio.read_edf(path).signals]),
    ]
    for back in readers:
        assert (back[3] == 0).all()
        assert (back[7] == back[7, 0]).all()
        assert back[7, 0] == pytest.approx(-12.5, abs=1e-9)


def test_figures_are_measured(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    eeg = np.stack([rng.uniform(-100, 100, 256 * 60), rng.uniform(-30, 10, 256 * 60)]).astype(np.float32)
    written = write_edf(tmp_path / "a.edf", eeg, 256.0, ["C3", "C4"])
    back, _, _ = read_independently(tmp_path / "a.edf")
    assert written.error_rms_uv == pytest.approx(math.sqrt(float(np.mean((back - eeg) ** 2))), rel=1e-6)
    assert written.step_uv == pytest.approx([float(np.ptp(row)) / STEPS for row in eeg], rel=1e-5)
    # The error of rounding is uniform over a step where the signal crosses many.
    expected = math.sqrt(sum(step**2 / 12 for step in written.step_uv) / 2)
    assert written.error_rms_uv == pytest.approx(expected, rel=0.02)
    assert written.figures() == {
        "edf_step_uv": written.step_uv[0],
        "edf_error_rms_uv": written.error_rms_uv,
        "edf_added_samples": 0.0,
    }


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e7, -1e7])
def test_what_no_header_can_hold_is_an_error(tmp_path: Path, value: float) -> None:
    eeg = noise(512, 2)
    eeg[1, 100] = value
    with pytest.raises(ValueError, match=r"channel 'C4' ranges from .* finite values up to 9999998 uV"):
        write_edf(tmp_path / "a.edf", eeg, 256.0, ["C3", "C4"])


def test_a_recording_without_samples_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the recording has no sample"):
        write_edf(tmp_path / "a.edf", noise(0, 2), 256.0, ["C3", "C4"])


@pytest.mark.parametrize(
    "labels, montage", [(AVERAGE, "unipolar"), (list(ELECTRODES), "unipolar"), (list(DOUBLE_BANANA), "bipolar")]
)
def test_the_library_of_the_platform_finds_montage_and_channels(
    tmp_path: Path, labels: Sequence[str], montage: str
) -> None:
    eeg_library = pytest.importorskip("epilepsy2bids.eeg", reason="needs the extra convert")
    eeg = noise(2560, len(labels))
    write_edf(tmp_path / "a.edf", eeg, 256.0, labels)
    found = eeg_library.Eeg.loadEdfAutoDetectMontage(str(tmp_path / "a.edf"))
    assert found.montage.value == montage
    assert found.fs == 256
    assert list(found.channels) == list(labels)
    assert np.abs(found.data - eeg).max() < 0.01


def test_our_own_reader_takes_the_file_for_a_recording_in_common_average(tmp_path: Path) -> None:
    eeg = noise(2560)
    eeg -= eeg.mean(axis=0)
    write_edf(tmp_path / "a.edf", eeg, 256.0, AVERAGE)
    events = tmp_path / "a.tsv"
    events.write_text("onset\tduration\teventType\n")
    recording = read_recording(RecordingFiles("sub-01", "a", "sub-01/eeg", tmp_path / "a.edf", events))
    assert recording.montage == "unipolar"
    assert recording.notes == ()
    assert np.abs(recording.eeg - eeg).max() < 0.01


def test_writing_takes_no_copy_of_the_recording(tmp_path: Path) -> None:
    eeg = noise(256 * 1800)
    tracemalloc.start()
    try:
        write_edf(tmp_path / "a.edf", eeg, 256.0, AVERAGE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.3 * eeg.nbytes  # blocks of 65,536 samples: 7 MB, also for ten hours
