"""Channels of one name: one of those that agree is read, one that carries signal before one that does not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from edf_files import Channel, N, electrodes, noise, pairs, read, stack

from pytest_robustseiz.recording import RecordingError


@pytest.mark.parametrize("names", [(b"Cz", b"Cz"), (b"EEG Cz-REF", b"EEG Cz-LE")])
def test_one_of_two_equal_channels_is_kept(tmp_path: Path, names: tuple[bytes, bytes]) -> None:
    channels = electrodes(N)
    twice = [c for c in channels if c.label != b"Cz"] + [replace(channels[9], label=name) for name in names]
    np.testing.assert_array_equal(read(tmp_path / "a", *twice).eeg, read(tmp_path / "b", *channels).eeg)


@pytest.mark.parametrize("names", [("Cz", "cz"), ("EEG Cz-REF", "EEG Cz-LE"), ("T7", "T3"), ("EEG 01", "EEG O1")])
def test_two_channels_of_one_name_that_differ_are_refused(tmp_path: Path, names: tuple[str, str]) -> None:
    with pytest.raises(
        RecordingError, match=rf"_eeg\.edf: channels '{names[0]}' and '{names[1]}' name one site but differ"
    ):
        read(tmp_path, *electrodes(N, labels=["Fp1", "F3", *names]))


def test_repeated_pair(tmp_path: Path) -> None:
    channels = pairs(N)
    chb = [replace(c, label=c.label.replace(b"T4-T6", b"T8-P8")) for c in channels]
    again = next(c for c in chb if c.label == b"T8-P8")
    dummy = replace(again, physical=(b"-1", b"-1"))
    np.testing.assert_allclose(read(tmp_path / "a", *chb, again, dummy).eeg, stack(channels), atol=1e-3)
    with pytest.raises(RecordingError, match="channels 'T8-P8' and 'T8-P8' name one site but differ"):
        read(tmp_path / "b", *chb, replace(again, digital=again.digital[::-1]))


def test_bare_name_is_read(tmp_path: Path) -> None:
    channels = electrodes(N)
    recording = read(tmp_path / "a", replace(channels[1], label=b"EEG Fp1-REF"), *channels)
    np.testing.assert_array_equal(recording.eeg, read(tmp_path / "b", *channels).eeg)
    assert "Fp1 was read from 'Fp1', not from 'EEG Fp1-REF'" in recording.notes


@pytest.mark.parametrize("offset, agree", [((b"-3276.75", b"3276.75"), True), ((b"-3276.6", b"3276.9"), False)])
def test_twins_may_differ_by_rounding(tmp_path: Path, offset: tuple[bytes, bytes], agree: bool) -> None:
    """By 0.05 uV, half a step of the converter, and by 0.2 uV."""
    channels = electrodes(N)
    twin = replace(channels[9], physical=offset)
    if agree:
        assert read(tmp_path, *channels, twin).missing == ()
        return
    with pytest.raises(RecordingError, match="channels 'Cz' and 'Cz' name one site but differ"):
        read(tmp_path, *channels, twin)


@pytest.mark.parametrize("level", [0, 32767])
@pytest.mark.parametrize("dead, live", [("Cz", "Cz"), ("Cz", "EEG Cz-REF"), ("T7", "T3"), ("EEG Cz-LE", "EEG Cz-REF")])
@pytest.mark.parametrize("dead_first", [True, False])
def test_channel_with_signal_is_read_before_a_constant_twin(
    tmp_path: Path, dead: str, live: str, dead_first: bool, level: int
) -> None:
    channels = electrodes(N)
    row = 6 if live == "T3" else 9
    wanted = read(tmp_path / "a", *channels)
    twins = [
        replace(channels[row], label=dead.encode(), digital=np.full(N, level)),
        replace(channels[row], label=live.encode()),
    ]
    others = [c for i, c in enumerate(channels) if i != row]
    recording = read(tmp_path / "b", *(twins if dead_first else twins[::-1]), *others)
    assert recording.missing == ()
    np.testing.assert_array_equal(recording.eeg, wanted.eeg)
    site = "T3" if live == "T3" else "Cz"
    note = f"{site} was read from {live!r}, not from {dead!r} (constant at {'0' if level == 0 else '3276.7'} uV)"
    assert note in recording.notes


def test_constant_channels_never_disagree(tmp_path: Path) -> None:
    channels = electrodes(N)
    low, high = (replace(channels[9], digital=np.full(N, level)) for level in (-100, 100))
    recording = read(tmp_path / "a", *channels, low, high)
    np.testing.assert_array_equal(recording.eeg, read(tmp_path / "b", *channels).eeg)
    assert "Cz was read from 'Cz', not from 'Cz' (constant at -10 uV), 'Cz' (constant at 10 uV)" in recording.notes


def test_spares_that_carry_signal_must_agree(tmp_path: Path) -> None:
    channels = electrodes(N)
    dead = replace(channels[9], digital=np.zeros(N, dtype=np.int64))
    spares = [replace(channels[9], label=label) for label in (b"EEG Cz-REF", b"Cz-LE")]
    others = [c for c in channels if c.label != b"Cz"]
    assert read(tmp_path / "a", dead, *spares, *others).missing == ()
    spares[1] = replace(spares[1], digital=spares[1].digital[::-1])
    with pytest.raises(RecordingError, match="channels 'EEG Cz-REF' and 'Cz-LE' name one site but differ"):
        read(tmp_path / "b", dead, *spares, *others)


def test_site_without_any_signal_is_missing(tmp_path: Path) -> None:
    channels = electrodes(N)
    channels[9] = replace(channels[9], digital=np.full(N, 500))
    twin = replace(channels[9], label=b"EEG Cz-REF", digital=np.zeros(N, dtype=np.int64))
    recording = read(tmp_path, *channels, twin)
    assert recording.missing == ("Cz",)
    assert "counts as missing, since it is constant at 50 uV: Cz" in recording.notes
    assert not any("was read from" in note for note in recording.notes)


def test_rate_of_a_spare_is_told(tmp_path: Path) -> None:
    channels = electrodes(N)
    dead = replace(channels[9], digital=np.zeros(N, dtype=np.int64))
    spare = Channel(b"EEG Cz-REF", noise(2 * N))
    others = [c for c in channels if c.label != b"Cz"]
    notes = read(tmp_path / "a", dead, spare, *others).notes
    assert "resampled from 512 Hz to 256 Hz" in notes
    assert "resampled from 512 Hz to 256 Hz" not in read(tmp_path / "b", *channels, spare).notes
