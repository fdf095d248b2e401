"""The classical example: its rules, and what they find in synthetic and in real EEG."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from example_modules import EXAMPLES, load_example
from scipy.signal import lfilter

from pytest_robustseiz.adapters import Adapter, AgreementUnavailable, derive_pairs, find_runs
from pytest_robustseiz.corpus import discover
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import Recording, read_recording

waves_of = load_example("gotman", "gotman_waves")
example = load_example("gotman", "gotman")
SFREQ = 256
Floats = npt.NDArray[np.float64]
NAN = float("nan")

# What it marks in real EEG, in seconds. Of the six seizures it meets four: two of three absences and those of emu01 and
# icu01. That of icu02 ends at 30 s, and before 28 s nothing has a background; what is marked in icu05 is no seizure.
FOUND: dict[str, list[list[float]]] = {
    "sub-absence01": [[860, 863], [1420, 1423], [1482, 1485]],
    "sub-emu01": [[33, 36]],
    "sub-icu01": [[29, 36]],
    "sub-icu02": [],
    "sub-icu03": [],
    "sub-icu04": [],
    "sub-icu05": [[47, 50]],
    "sub-icu06": [],
    "sub-icu07": [],
    "sub-icu08": [],
    "sub-icu09": [],
}


def background(n_channels: int, n_samples: int, *, seed: int = 0) -> npt.NDArray[np.float32]:
    """Coloured noise of about 25 uV."""
    noise = np.random.default_rng(seed).normal(0, 8, (n_channels, n_samples))
    return lfilter([1], [1, -0.95], noise).astype(np.float32)


# Spike, notch, wave and back, three times a second: seconds and heights of the extremes.
SPIKE_WAVE = ([0.0, 0.035, 0.080, 0.190, 1 / 3], [0.0, 1.0, -0.2, 0.8, 0.0])


def spike_wave(n_samples: int) -> Floats:
    """Half cosines between the extremes of SPIKE_WAVE."""
    at_s = np.arange(n_samples) / SFREQ % (1 / 3)
    times, heights = (np.array(values) for values in SPIKE_WAVE)
    part = np.searchsorted(times, at_s, side="right") - 1
    share = (at_s - times[part]) / (times[part + 1] - times[part])
    wave: Floats = heights[part] + (heights[part + 1] - heights[part]) * (1 - np.cos(np.pi * share)) / 2
    return wave


def runs_s(mask: npt.NDArray[np.bool_]) -> list[list[float]]:
    runs: list[list[float]] = (find_runs(mask) / SFREQ).tolist()
    return runs


BELOW, ABOVE = np.nextafter(0.6, 0), np.nextafter(3.0, 4)
RULES = [
    # relative amplitude, duration, irregularity, burst
    (5.0, 0.1, 0.3, True),
    (3.0, 0.1, 0.3, False),
    (ABOVE, 0.1, 0.3, True),
    (5.0, 0.025, 0.3, False),
    (5.0, np.nextafter(0.025, 1), 0.3, True),
    (5.0, 0.150, 0.3, False),
    (5.0, np.nextafter(0.150, 0), 0.3, True),
    (5.0, 0.1, 0.6, False),
    (5.0, 0.1, BELOW, True),
    (NAN, 0.1, 0.3, False),
    (5.0, NAN, NAN, False),
]


@pytest.mark.parametrize("relative_amplitude, duration_s, irregularity, expected", RULES)
def test_rules_at_their_limits(
    relative_amplitude: float, duration_s: float, irregularity: float, *, expected: bool
) -> None:
    values = (np.array([value]) for value in (relative_amplitude, duration_s, irregularity))
    assert example.is_rhythmic(example.Features(*values)).tolist() == [expected]


@pytest.mark.parametrize(
    "channels, expected",
    [
        ([0, 0, 0], [0, 0, 0]),
        ([0, 1, 0], [0, 0, 0]),  # one channel, one epoch
        ([0, 2, 0], [0, 1, 0]),  # two channels
        ([0, 1, 1, 0], [0, 1, 1, 0]),  # two epochs
        ([1, 0, 1, 0, 1], [0, 0, 0, 0, 0]),
        ([1, 2, 0, 1], [1, 1, 0, 0]),
        ([18], [1]),
        ([], []),
    ],
)
def test_channels_and_epochs(channels: list[int], expected: list[int]) -> None:
    assert example.is_seizure(np.array(channels, dtype=np.int64)).astype(int).tolist() == expected


def test_marks_cover_whole_epochs() -> None:
    mask = example.mark(np.array([False, True, True, False, False]), 256.0, 6 * SFREQ + 100)
    assert mask.shape == (6 * SFREQ + 100,)
    assert runs_s(mask) == [[1.0, 4.0]]


@pytest.fixture(scope="module")
def gotman() -> Any:
    return example.Gotman()


@pytest.fixture
def burst() -> npt.NDArray[np.float32]:
    """Two minutes of the double banana; from 60 to 70 s spike and wave of 200 uV."""
    eeg = background(len(DOUBLE_BANANA), 120 * SFREQ)
    eeg[:, 60 * SFREQ : 70 * SFREQ] += (200 * spike_wave(10 * SFREQ)).astype(np.float32)
    return eeg


def test_spike_and_wave_has_the_half_waves_it_was_made_of() -> None:
    found = waves_of.find_half_waves(200 * spike_wave(10 * SFREQ), 10.0)
    assert len(found.durations) == 4 * 30 - 2  # the first and the last are cut by the ends
    assert float(found.durations.mean()) / SFREQ == pytest.approx(1 / 12, rel=0.01)
    exact = np.diff(SPIKE_WAVE[0])
    irregularity = found.durations.std() / found.durations.mean()
    assert irregularity == pytest.approx(exact.std() / exact.mean(), rel=0.03)


def test_spike_and_wave_is_found_and_background_is_not(gotman: Any, burst: npt.NDArray[np.float32]) -> None:
    [[start, stop]] = runs_s(gotman.detect(burst, 256.0, DOUBLE_BANANA))
    assert 59 <= start <= 61
    assert 69 <= stop <= 72
    for seed in range(3):
        quiet = background(len(DOUBLE_BANANA), 300 * SFREQ, seed=seed)
        assert not gotman.detect(quiet, 256.0, DOUBLE_BANANA).any()


def test_one_channel_is_enough_where_it_lasts(gotman: Any, burst: npt.NDArray[np.float32]) -> None:
    burst[1:] = background(len(DOUBLE_BANANA) - 1, burst.shape[1], seed=5)
    assert gotman.detect(burst, 256.0, DOUBLE_BANANA)[61 * SFREQ : 69 * SFREQ].all()


def test_a_burst_before_there_is_a_background_is_missed(gotman: Any, burst: npt.NDArray[np.float32]) -> None:
    assert not gotman.detect(burst[:, 50 * SFREQ : 78 * SFREQ].copy(), 256.0, DOUBLE_BANANA).any()


def test_nothing_is_found_after_a_dead_amplifier(gotman: Any, burst: npt.NDArray[np.float32]) -> None:
    burst[:, : 60 * SFREQ] = 0
    mask = gotman.detect(burst, 256.0, DOUBLE_BANANA)
    assert not mask[: 72 * SFREQ].any()


@pytest.mark.parametrize("gain", [2.0**-20, 0.001, 1000.0, -1.0])
def test_gain_and_polarity_do_not_matter(gotman: Any, burst: npt.NDArray[np.float32], gain: float) -> None:
    scaled = (burst * np.float32(gain)).astype(np.float32)
    expected = gotman.detect(burst.copy(), 256.0, DOUBLE_BANANA)
    np.testing.assert_array_equal(gotman.detect(scaled, 256.0, DOUBLE_BANANA), expected)


def test_noise_of_one_channel_says_nothing_of_another(gotman: Any, burst: npt.NDArray[np.float32]) -> None:
    """Each channel is compared with its own past: a loud quiet channel changes nothing."""
    expected = gotman.detect(burst.copy(), 256.0, DOUBLE_BANANA)
    burst[0] = 50 * background(1, burst.shape[1], seed=7)[0]
    np.testing.assert_array_equal(gotman.detect(burst, 256.0, DOUBLE_BANANA), expected)


@pytest.mark.parametrize("n_samples", [1, 2, 15, 255, 513])
def test_short_recordings_are_silent(gotman: Any, n_samples: int) -> None:
    mask = gotman.detect(background(18, n_samples), 256.0, DOUBLE_BANANA)
    assert mask.shape == (n_samples,)
    assert not mask.any()


@pytest.mark.parametrize("sfreq", [100.0, 120.0, NAN])
def test_low_rates_are_refused(gotman: Any, sfreq: float) -> None:
    with pytest.raises(ValueError, match=rf"sfreq: expected more than 120 Hz .*, got {sfreq}"):
        gotman.detect(background(18, 1000), sfreq, DOUBLE_BANANA)


def test_the_contract(gotman: Any) -> None:
    assert isinstance(gotman, Adapter)
    with pytest.raises(AgreementUnavailable, match="gotman has nothing random"):
        gotman.agreement(background(18, 1000), 256.0, DOUBLE_BANANA, passes=5, tau=0.8, seed=0)
    assert gotman.fingerprint() == example.Gotman(device="cuda:0").fingerprint()


def test_the_fingerprint_follows_the_code(gotman: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = gotman.fingerprint()
    changed = tmp_path / "gotman_waves.py"
    changed.write_bytes((EXAMPLES / "gotman" / "gotman_waves.py").read_bytes() + b"\n")
    monkeypatch.setattr(waves_of, "__file__", str(changed))
    assert gotman.fingerprint() != before


@pytest.fixture(scope="module")
def recordings(shared_data: Path) -> dict[str, Recording]:
    subjects = discover(shared_data / "real-bids")
    return {subject.name: read_recording(subject.recordings[0]) for subject in subjects}


def test_what_it_finds_in_real_eeg(gotman: Any, recordings: dict[str, Recording]) -> None:
    found = {name: runs_s(gotman.detect(one.eeg, one.sfreq, one.channels)) for name, one in recordings.items()}
    assert found == FOUND


def test_pairs_and_electrodes_give_the_same_mask(gotman: Any, recordings: dict[str, Recording]) -> None:
    recording = recordings["sub-icu01"]
    names = DOUBLE_BANANA[::-1]
    pairs = derive_pairs(recording.eeg, recording.channels, names)
    expected = gotman.detect(recording.eeg, 256.0, recording.channels)
    assert recording.channels == ELECTRODES
    np.testing.assert_array_equal(gotman.detect(pairs, 256.0, names), expected)
