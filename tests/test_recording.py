"""A recording as a detector gets it, from files of every kind that corpora hold."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from edf_files import SECONDS, Channel, EdfFile, N, corpus_of_one, electrodes, noise, pairs, read, stack

from pytest_robustseiz.events import EventsError
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import RecordingError, read_recording

# What every recording is


def test_unipolar_recording(tmp_path: Path) -> None:
    channels = electrodes(N)
    shuffled = [channels[i] for i in np.random.default_rng(1).permutation(19)]
    rows = ["0.5\t1.5\tsz-foc\t0.9\tall\t2020-01-02 03:04:05\t4.00"]
    files = corpus_of_one(tmp_path, EdfFile(shuffled, n_records=SECONDS).encode(), rows=rows)

    recording = read_recording(files)

    assert (recording.subject, recording.stem, recording.folder) == ("sub-01", "sub-01_task-sz", "sub-01/eeg")
    assert (recording.montage, recording.channels, recording.sfreq) == ("unipolar", ELECTRODES, 256.0)
    assert (recording.n_samples, recording.duration_s, recording.missing) == (N, 4.0, ())
    assert recording.seizures == ((0.5, 2.0),)
    assert recording.start == datetime(2020, 1, 2, 3, 4, 5)
    wanted = stack(channels) - stack(channels).mean(axis=0)
    np.testing.assert_allclose(recording.eeg, wanted, atol=1e-3)
    assert recording.eeg.dtype == np.float32
    assert recording.eeg.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        recording.eeg[0, 0] = 1


def test_average_is_told_where_it_changed_the_signal(tmp_path: Path) -> None:
    common = noise(N, seed=99)
    raw = [replace(c, digital=c.digital + common) for c in electrodes(N)]
    average = np.round(np.mean([c.digital for c in raw], axis=0)).astype(np.int64)
    averaged = [replace(c, digital=c.digital - average, label=c.label + b"-Avg") for c in raw]
    first, second = read(tmp_path / "a", *raw), read(tmp_path / "b", *averaged)
    assert len(first.notes) == 1
    unknown = "re-referenced from a reference that the labels do not state to the common average"
    assert first.notes[0].startswith(f"{unknown} (of 19 electrodes; it took away ")
    assert second.notes == ()
    np.testing.assert_allclose(first.eeg, second.eeg, atol=0.11)


@pytest.mark.parametrize("steps, told", [(9, False), (11, True)])
def test_average_is_told_from_one_microvolt_on(tmp_path: Path, steps: int, told: bool) -> None:
    """Two electrodes of opposite sign, on top of a common square wave of 0.9 or 1.1 uV."""
    opposite, common = noise(N), steps * (-1) ** np.arange(N)
    recording = read(tmp_path, Channel(b"Fp1", opposite + common), Channel(b"F3", common - opposite))
    notes = [note for note in recording.notes if "re-referenced" in note]
    unknown = "re-referenced from a reference that the labels do not state to the common average"
    expected = [f"{unknown} (of 2 electrodes; it took away {steps / 10:g} uV RMS)"]
    assert notes == (expected if told else [])


def test_auxiliary_channels_do_not_matter(tmp_path: Path) -> None:
    extra = [Channel(name, noise(N), unit=b"%", physical=(b"-1,5", b"")) for name in (b"ECG", b"A1", b"SpO2", b"PO3")]
    plain, with_extra = read(tmp_path / "a", *electrodes(N)), read(tmp_path / "b", *extra, *electrodes(N))
    np.testing.assert_array_equal(plain.eeg, with_extra.eeg)
    left_out = "left out, since they are no electrodes of the montage: 'ECG', 'A1', 'SpO2', 'PO3'"
    assert with_extra.notes == (left_out, *plain.notes)


def test_the_reference_that_the_labels_state_is_told(tmp_path: Path) -> None:
    channels = electrodes(N, labels=[f"EEG {name}-LE" for name in ELECTRODES])
    assert any(note.startswith("re-referenced from LE to the common") for note in read(tmp_path, *channels).notes)


def test_bipolar_recording(tmp_path: Path) -> None:
    channels = pairs(N)
    dummy = Channel(b"-", np.zeros(N, dtype=np.int64), physical=(b"0", b"0"))
    recording = read(tmp_path, *channels[::-1], dummy, dummy, replace(channels[15], label=b"F8-T8"))
    assert (recording.montage, recording.channels, recording.missing) == ("bipolar", DOUBLE_BANANA, ())
    np.testing.assert_allclose(recording.eeg, stack(channels), atol=1e-3)
    assert recording.notes == ()


def test_missing_pair_is_zero_and_named(tmp_path: Path) -> None:
    recording = read(tmp_path, *pairs(N)[1:])
    assert recording.missing == ("Fp1-F3",)
    assert not recording.eeg[0].any()
    assert recording.notes == ("missing and zero-filled: Fp1-F3",)


# Units and values


def test_electrodes_in_several_units(tmp_path: Path) -> None:
    channels = electrodes(N)
    milli = replace(channels[0], unit=b"mV", physical=(b"-3.2768", b"3.2767"))
    recording = read(tmp_path / "a", milli, *channels[1:])
    np.testing.assert_allclose(recording.eeg, read(tmp_path / "b", *channels).eeg, atol=1e-3)


def test_one_error_names_every_channel_with_an_unknown_unit(tmp_path: Path) -> None:
    channels = electrodes(N)
    channels[0], channels[9] = replace(channels[0], unit=b""), replace(channels[9], unit=b"nV")
    with pytest.raises(RecordingError, match="unit") as caught:
        read(tmp_path, *channels)
    first, second = str(caught.value).splitlines()
    assert "sub-01_task-sz_eeg.edf: channel 'Fp1': unit b'' is none of uV, mV, V" in first
    assert "sub-01_task-sz_eeg.edf: channel 'Cz': unit b'nV' is none of uV, mV, V" in second


def test_implausible_amplitude_is_noted(tmp_path: Path) -> None:
    recording = read(tmp_path, *(replace(c, unit=b"V") for c in electrodes(N)))
    odd = "standard deviation is not one of EEG, check unit and electrode (usual are 0.5 to 2000 uV): Fp1 ("
    assert recording.notes[0].startswith(odd)


# Length and rate


def test_length_of_the_file_is_used_and_noted(tmp_path: Path) -> None:
    data = EdfFile(electrodes(N), n_records=SECONDS, stated_records=b"10").encode()[:-100]
    recording = read_recording(corpus_of_one(tmp_path, data, rows=["0\t10\tbckg"]))
    assert recording.duration_s == 3.0
    assert [e.duration_s for e in recording.events] == [3.0]
    assert any("header indicates 10 data records, but file contains 3" in note for note in recording.notes)
    assert any("Incomplete data record at the end" in note for note in recording.notes)


def test_seizure_behind_the_end_of_a_cut_file_is_refused(tmp_path: Path) -> None:
    data = EdfFile(electrodes(N), n_records=SECONDS).encode()[:-100]
    with pytest.raises(EventsError, match=r"_events\.tsv:2: .*the recording ends at 3 s"):
        read_recording(corpus_of_one(tmp_path, data, rows=["3.5\t0.5\tsz"]))


def test_rate_that_is_nearly_whole_keeps_events_in_place(tmp_path: Path) -> None:
    """A bump at 3000 s, in a file whose rate is 249.98 Hz and would be 0.24 s off at 250 Hz."""
    n_records, sfreq = 3600, 250 / 1.00008
    time_s = np.arange(250 * n_records) / sfreq
    bump = np.round(8000 * np.exp(-(((time_s - 3000) / 0.05) ** 2) / 2)).astype(np.int64)
    channels = [Channel(b"Fp1", bump), Channel(b"F3", -bump)]
    recording = read(tmp_path, *channels, n_records=n_records, record_s=b"1.00008")
    assert recording.n_samples == round(3600 * 1.00008 * 256)
    wanted = 800 * np.exp(-(((np.arange(recording.n_samples) / 256 - 3000) / 0.05) ** 2) / 2)
    assert int(np.argmax(recording.eeg[0])) == 3000 * 256
    np.testing.assert_allclose(recording.eeg[0], wanted, atol=0.2)
    assert "resampled from 249.98 Hz to 256 Hz" in recording.notes


@pytest.mark.parametrize("rate", [100, 200, 250, 400, 500, 512, 1000])
def test_sine_keeps_its_phase_at_every_rate(tmp_path: Path, rate: int) -> None:
    time_s = np.arange(rate * SECONDS) / rate
    sine = np.round(3000 * np.sin(2 * np.pi * 7 * time_s + 1)).astype(np.int64)
    recording = read(tmp_path, Channel(b"Fp1", sine), Channel(b"F3", -sine))
    wanted = 300 * np.sin(2 * np.pi * 7 * np.arange(N) / 256 + 1)
    inside = slice(128, -128)  # the ends are reflected, which bends a sine there
    np.testing.assert_allclose(recording.eeg[0, inside], wanted[inside], atol=0.5)
    np.testing.assert_allclose(recording.eeg[0], wanted, atol=30)


def test_channels_at_different_rates_are_aligned(tmp_path: Path) -> None:
    labels = [(b"Fp1", 256), (b"F3", 128), (b"C3", 512), (b"ECG", 1000)]
    sines = [np.round(3000 * np.sin(2 * np.pi * 3 * np.arange(fs * SECONDS) / fs)).astype(np.int64) for _, fs in labels]
    recording = read(tmp_path, *(Channel(name, sine) for (name, _), sine in zip(labels, sines, strict=True)))
    assert np.abs(recording.eeg[[0, 1, 2], 256:-256]).max() < 0.5  # equal signals, so nothing is left of them


def test_recording_shorter_than_a_sample(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="shorter than one sample at 256 Hz"):
        read(tmp_path, *electrodes(1), n_records=1, record_s=b"0.001")


# Handing on


def test_raw_is_in_volts_with_annotations(tmp_path: Path) -> None:
    rows = ["1\t2\tsz\tn/a\tn/a\t2020-01-02 03:04:05\t4"]
    recording = read_recording(corpus_of_one(tmp_path, EdfFile(electrodes(N), n_records=SECONDS).encode(), rows=rows))
    raw = recording.to_raw()
    assert (raw.ch_names, raw.info["sfreq"]) == (list(ELECTRODES), 256.0)
    assert set(raw.get_channel_types()) == {"eeg"}
    assert raw.info["meas_date"] == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    np.testing.assert_allclose(raw.get_data(), recording.eeg * 1e-6, rtol=1e-6)
    assert [(a["onset"], a["duration"], a["description"]) for a in raw.annotations] == [(1.0, 2.0, "sz")]
    assert raw.first_time == 0


def test_raw_without_start(tmp_path: Path) -> None:
    files = corpus_of_one(tmp_path, EdfFile(pairs(N), n_records=SECONDS).encode(), rows=["1\t2\tsz"])
    raw = read_recording(files).to_raw()
    assert raw.info["meas_date"] is None
    assert list(raw.annotations.onset) == [1.0]


def test_missing_file(tmp_path: Path) -> None:
    files = corpus_of_one(tmp_path, b"")
    files.eeg.unlink()
    files.eeg.symlink_to("../.git/annex/objects/not-fetched")
    with pytest.raises(RecordingError, match=r"_eeg\.edf: no such file; if it is a link, fetch its content"):
        read_recording(files)
