"""Channels that a file has not, or has without signal."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edf_files import N, electrodes, microvolts, noise, pairs, read, stack

from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import RecordingError


def test_missing_electrode_stays_zero(tmp_path: Path) -> None:
    channels = [c for c in electrodes(N) if c.label != b"Cz"]
    recording = read(tmp_path, *channels)
    row = ELECTRODES.index("Cz")
    assert recording.missing == ("Cz",)
    assert not recording.eeg[row].any()
    wanted = stack(channels) - stack(channels).mean(axis=0)
    np.testing.assert_allclose(np.delete(recording.eeg, row, axis=0), wanted, atol=1e-3)
    assert "missing and zero-filled: Cz" in recording.notes


@pytest.mark.parametrize(
    "change, note",
    [
        ({"physical": (b"0", b"0")}, "channel 'Cz' counts as missing: physical minimum and maximum are both 0"),
        ({"digital": np.zeros(N, dtype=np.int64)}, "counts as missing, since it is constant at 0 uV: Cz"),
        ({"digital": np.full(N, 4)}, "counts as missing, since it is constant at 0.4 uV: Cz"),
        ({"digital": np.full(N, -500)}, "counts as missing, since it is constant at -50 uV: Cz"),
        ({"digital": np.full(N, 32767)}, "counts as missing, since it is constant at 3276.7 uV: Cz"),
    ],
)
def test_electrode_without_signal_counts_as_missing(tmp_path: Path, change: dict[str, Any], note: str) -> None:
    channels = electrodes(N)
    dead = [replace(c, **change) if c.label == b"Cz" else c for c in channels]
    recording, without = read(tmp_path / "a", *dead), read(tmp_path / "b", *(c for c in channels if c.label != b"Cz"))
    assert recording.missing == ("Cz",)
    assert note in recording.notes
    np.testing.assert_array_equal(recording.eeg, without.eeg)


@pytest.mark.parametrize("physical", [(b"-3276.8", b"3276.7"), (b"3276.7", b"-3276.8")])
@pytest.mark.parametrize("level, limit", [(-32768, 0), (32762, 1)])
def test_electrode_pinned_at_a_limit_of_its_range_counts_as_missing(
    tmp_path: Path, level: int, limit: int, physical: tuple[bytes, bytes]
) -> None:
    """An amplifier at its rail, whose converter still plays with the last bits."""
    channels = electrodes(N)
    pinned = level + np.random.default_rng(0).integers(0, 6, N)
    dead = [replace(c, digital=pinned, physical=physical) if c.label == b"Cz" else c for c in channels]
    recording, without = read(tmp_path / "a", *dead), read(tmp_path / "b", *(c for c in channels if c.label != b"Cz"))
    assert recording.missing == ("Cz",)
    np.testing.assert_array_equal(recording.eeg, without.eeg)
    note = f"counts as missing, since it is pinned at {float(physical[limit]):g} uV, a limit of its range: Cz"
    assert note in recording.notes


@pytest.mark.parametrize("digital", [[-32768, 32767], [-32768, -32768 + 70], [32767 - 70, 32767]])
def test_electrode_that_leaves_the_limit_stays(tmp_path: Path, digital: list[int]) -> None:
    """By 0.11 % of the range, and by all of it."""
    channels = electrodes(N)
    channels[9] = replace(channels[9], digital=np.resize(digital, N))
    assert read(tmp_path, *channels).missing == ()


def test_rows_without_signal_are_zero_and_no_part_of_the_average(tmp_path: Path) -> None:
    """Electrodes pinned to the rail, which would be the negative mean of the others."""
    channels = electrodes(N)
    for i, level in ((8, 32767), (9, -32768), (17, 32767)):
        channels[i] = replace(channels[i], digital=np.full(N, level))
    live = [i for i in range(19) if i not in (8, 9, 17)]
    recording = read(tmp_path, *channels)
    assert recording.missing == ("Fz", "Cz", "T4")
    assert not recording.eeg[[8, 9, 17]].any()
    wanted = stack(channels)[live]
    np.testing.assert_allclose(recording.eeg[live], wanted - wanted.mean(axis=0), atol=1e-3)
    assert recording.notes[:3] == (
        "counts as missing, since it is constant at 3276.7 uV: Fz, T4",
        "counts as missing, since it is constant at -3276.8 uV: Cz",
        "missing and zero-filled: Fz, Cz, T4",
    )


@pytest.mark.parametrize("level", [0, 500])
def test_only_live_electrode_is_not_averaged_away(tmp_path: Path, level: int) -> None:
    channels = [replace(c, digital=c.digital if i == 3 else np.full(N, level)) for i, c in enumerate(electrodes(N))]
    recording = read(tmp_path, *channels)
    np.testing.assert_allclose(recording.eeg[3], microvolts(channels[3]), atol=1e-3)
    assert recording.missing == tuple(name for name in ELECTRODES if name != "P3")
    assert not np.delete(recording.eeg, 3, axis=0).any()
    assert "only P3 carries signal; it was not re-referenced, since nothing would be left" in recording.notes


def test_two_live_electrodes_are_averaged(tmp_path: Path) -> None:
    channels = [replace(c, digital=c.digital * (i < 2)) for i, c in enumerate(electrodes(N))]
    recording = read(tmp_path, *channels)
    wanted = stack(channels[:2])
    np.testing.assert_allclose(recording.eeg[:2], wanted - wanted.mean(axis=0), atol=1e-3)
    assert len(recording.missing) == 17


@pytest.mark.parametrize("level", [0, 500])
def test_only_live_pair(tmp_path: Path, level: int) -> None:
    channels = [replace(c, digital=c.digital if i == 3 else np.full(N, level)) for i, c in enumerate(pairs(N))]
    recording = read(tmp_path, *channels)
    np.testing.assert_allclose(recording.eeg[3], microvolts(channels[3]), atol=1e-3)
    assert recording.missing == tuple(name for name in DOUBLE_BANANA if name != "P3-O1")
    assert not np.delete(recording.eeg, 3, axis=0).any()
    assert not any("re-referenced" in note for note in recording.notes)


def test_nearly_flat_electrode_stays(tmp_path: Path) -> None:
    channels = electrodes(N)
    channels[9] = replace(channels[9], digital=noise(N, sd=3) // 2)
    recording = read(tmp_path, *channels)
    assert recording.missing == ()
    odd = "standard deviation is not one of EEG, check unit and electrode (usual are 0.5 to 2000 uV): Cz (0.1"
    assert recording.notes[0].startswith(odd)


def test_recording_without_any_signal_is_read_and_noted(tmp_path: Path) -> None:
    recording = read(tmp_path, *(replace(c, digital=np.zeros(N, dtype=np.int64)) for c in electrodes(N)))
    assert not recording.eeg.any()
    assert recording.missing == ELECTRODES
    assert recording.notes[0] == f"counts as missing, since it is constant at 0 uV: {', '.join(ELECTRODES)}"


@pytest.mark.parametrize("labels", [["ECG", "EMG"], ["Cz", "ECG"], ["Fp1-A2", "Fp2-A1"]])
def test_files_without_electrodes_are_refused(tmp_path: Path, labels: list[str]) -> None:
    with pytest.raises(RecordingError, match=r"sub-01_task-sz_eeg\.edf: neither electrodes.*" + repr(labels[0])):
        read(tmp_path, *electrodes(N, labels=labels))
