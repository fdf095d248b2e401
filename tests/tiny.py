"""Small synthetic corpora and detectors for tests of the plugin."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import edfio
import numpy as np

from pytest_robustseiz.shifts import ELECTRODES

SFREQ = 256
HEADER = "onset\tduration\teventType\tconfidence\tchannels\tdateTime\trecordingDuration"

# Says seizure where the power of the last second at Fp1 is high: finds the tiny corpus's seizures exactly enough.
DETECTOR = """
import numpy as np

from pytest_robustseiz.adapters import AgreementUnavailable

class PowerDetector:
    name = "power"
    montages = ("unipolar",)

    def __init__(self, threshold_uv=40.0, print_to=None):
        self.threshold_uv = threshold_uv
        self.print_to = print_to

    def detect(self, eeg, sfreq, channels):
        if self.print_to:
            with open(self.print_to, "a") as log:
                log.write("called\\n")
        seconds = eeg[0, : eeg.shape[1] // 256 * 256].reshape(-1, 256)
        loud = seconds.std(axis=1) > self.threshold_uv
        mask = np.zeros(eeg.shape[1], dtype=bool)
        mask[: loud.size * 256] = np.repeat(loud, 256)
        return mask

    def agreement(self, eeg, sfreq, channels, *, passes, tau, seed):
        raise AgreementUnavailable("power has nothing random")

    def fingerprint(self):
        return f"power {self.threshold_uv}"
"""

CONFTEST = (
    DETECTOR
    + """
import pytest

@pytest.fixture(scope="session")
def robustseiz_adapter():
    return PowerDetector()
"""
)


def write_edf(path: Path, eeg: np.ndarray, *, labels: Sequence[str] = ELECTRODES, sfreq: float = SFREQ) -> None:
    """Write microvolts as EDF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    signals = [
        edfio.EdfSignal(
            row.astype(np.float64), sfreq, label=label, physical_dimension="uV", physical_range=(-3000, 3000)
        )
        for row, label in zip(eeg, labels, strict=True)
    ]
    edfio.Edf(signals).write(path)


def make_eeg(seizures: Sequence[tuple[float, float]], duration_s: int, *, seed: int) -> np.ndarray:
    """Noise of 20 uV with 3 Hz waves of 150 uV at Fp1 during seizures; the synthetic signal of the tests."""
    rng = np.random.default_rng(seed)
    eeg = rng.normal(0, 20, (len(ELECTRODES), duration_s * SFREQ))
    time_s = np.arange(eeg.shape[1]) / SFREQ
    for start, stop in seizures:
        inside = (time_s >= start) & (time_s < stop)
        eeg[0, inside] += 150 * np.sin(2 * np.pi * 3 * time_s[inside])
    return eeg


def make_corpus(folder: Path, seizures: Mapping[str, Sequence[tuple[float, float]]], *, duration_s: int = 300) -> Path:
    """Write a BIDS-EEG tree with one recording per subject.

    Parameters
    ----------
    folder : Path
        Root of the tree.
    seizures : mapping of str to sequence of (float, float)
        Seizures (start_s, stop_s) by subject.
    duration_s : int
        Length of each recording.
    """
    for number, (subject, events) in enumerate(seizures.items()):
        stem = folder / subject / "ses-01" / "eeg" / f"{subject}_ses-01_task-szMonitoring_run-00"
        write_edf(stem.with_name(f"{stem.name}_eeg.edf"), make_eeg(events, duration_s, seed=number))
        rows = [f"{start}\t{stop - start}\tsz\tn/a\tn/a\tn/a\t{duration_s}" for start, stop in events]
        rows = rows or [f"0\t{duration_s}\tbckg\tn/a\tn/a\tn/a\t{duration_s}"]
        stem.with_name(f"{stem.name}_events.tsv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return folder
