"""Detectors that are reached by files: a recording goes out as EDF, a table of events comes back.

The contract is that of the SzCORE platform (https://epilepsybenchmarks.com/contribute): an EDF file at 256 Hz with 19
electrodes in common average, labelled Fp1-Avg and so on, and a tab-separated table of events.
"""

import os
import shlex
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.agreement import Agreement, AgreementUnavailable
from pytest_robustseiz.adapters.command_run import CommandError, how_it_ended, last_lines, run_program
from pytest_robustseiz.adapters.contract import Array, Montage
from pytest_robustseiz.adapters.examination import Examination
from pytest_robustseiz.events import EventsError, read_events

TIMEOUT_S = 3600.0


@dataclass(frozen=True)
class Job:
    """The private folder of one call.

    Attributes
    ----------
    folder : Path
        Exists, and belongs to this call only.
    """

    folder: Path

    @property
    def data(self) -> Path:
        """Folder of the recording."""
        return self.folder / "data"

    @property
    def output(self) -> Path:
        """Folder of the table."""
        return self.folder / "output"

    @property
    def recording(self) -> Path:
        """The EDF file."""
        return self.data / "input.edf"

    @property
    def table(self) -> Path:
        """The table that the program is to write."""
        return self.output / "output.tsv"

    @property
    def log(self) -> Path:
        """What the program prints."""
        return self.folder / "log.txt"

    def make(self) -> None:
        """Make the folders. Only the owner can enter the one around them; in a container another user writes."""
        self.data.mkdir()
        self.output.mkdir()
        self.output.chmod(0o777)


class FileAdapter(ABC):
    """Base of adapters for detectors that are reached by files; a subclass says which command to run.

    Each call has a private temporary folder, which is always removed, so that workers do not meet.

    Parameters
    ----------
    name : str
        What the registry calls the detector.
    montages : tuple of {"unipolar", "bipolar"}
        What it accepts: 19 electrodes in common average, 18 pairs of the double banana, or both.
    timeout_s : float
        Seconds that one recording may take.
    """

    def __init__(self, name: str, montages: tuple[Montage, ...], timeout_s: float) -> None:
        if not timeout_s > 0:
            raise ValueError(f"timeout_s must be above 0 s, got {timeout_s:g}")
        self.name = name
        self.montages = montages
        self.timeout_s = timeout_s

    @abstractmethod
    def command(self, job: Job) -> list[str]:
        """Program and arguments for a call."""

    @abstractmethod
    def fingerprint(self) -> str | None:
        """As the contract of `Adapter` says."""

    def environment(self, job: Job) -> dict[str, str]:
        """All of the program's environment."""
        return dict(os.environ)

    def abandon(self, job: Job) -> str:
        """End what a failed command may have left running elsewhere; say what could not be ended."""
        return ""

    def labels(self, channels: Sequence[str]) -> list[str]:
        """Labels of the EDF file: "Fp1-Avg" for an electrode, as the platform has it, and pairs as they are."""
        return [name if "-" in name else f"{name}-Avg" for name in channels]

    def detect(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Mark each sample that belongs to a seizure; see `detect_measured`."""
        return np.asarray(self.detect_measured(eeg, sfreq, channels).mask)

    def detect_measured(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> Examination:
        """Write a recording, run the program, and read its table.

        Parameters
        ----------
        eeg : ndarray of float32, shape (n_channels, n_samples)
            Microvolts.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows.

        Returns
        -------
        Examination
            The mask, in which each seizure of the table covers at least one sample, and figures of what writing did to
            the recording.

        Raises
        ------
        CommandError
            When the program cannot be started, ends with another exit status than 0, takes too long, or leaves no table
            or one that breaks a rule.
        ValueError
            When the recording cannot be written.
        """
        from pytest_robustseiz.adapters.command_edf import write_edf

        n_samples = eeg.shape[1]
        with tempfile.TemporaryDirectory(prefix="robustseiz-") as folder:
            job = Job(Path(folder))
            job.make()
            written = write_edf(job.recording, np.asarray(eeg), sfreq, self.labels(channels))
            self._run(job)
            seizures = self._read(job, n_samples / sfreq)
        return Examination(mask=mask_of(seizures, sfreq, n_samples), figures=written.figures())

    def agreement(
        self, eeg: Array, sfreq: float, channels: Sequence[str], *, passes: int, tau: float, seed: int
    ) -> Agreement:
        """Raise `AgreementUnavailable`: nobody can switch on the dropout of a program."""
        raise AgreementUnavailable(f"{self.name} is reached by files, so its stochastic layers cannot be reached")

    def _run(self, job: Job) -> None:
        command = self.command(job)
        try:
            status = run_program(command, environment=self.environment(job), log=job.log, timeout_s=self.timeout_s)
        except subprocess.TimeoutExpired:
            self._fail(job, f"took longer than {self.timeout_s:g} s and was ended{self.abandon(job)}")
        except OSError as error:
            self._fail(job, f"cannot be started ({error})")
        except BaseException:
            self.abandon(job)
            raise
        if status:
            self._fail(job, how_it_ended(status) + self.abandon(job))

    def _read(self, job: Job, recording_s: float) -> list[tuple[float, float]]:
        # A link could lead out of a container's mounts, and errors show what stands in bad cells.
        if job.table.is_symlink() or not job.table.is_file():
            left = sorted(path.name for path in job.output.iterdir())
            self._fail(job, f"left no table at {job.table}; its output folder holds {left or 'nothing'}")
        try:
            events = read_events(job.table, recording_s=recording_s)
        except EventsError as error:
            self._fail(job, f"left a table that breaks the rules:\n{error}")
        return [(event.onset_s, event.stop_s) for event in events if event.is_seizure]

    def _fail(self, job: Job, what: str) -> NoReturn:
        raise CommandError(f"{shlex.join(self.command(job))} {what}\n{last_lines(job.log)}") from None


def mask_of(seizures: Sequence[tuple[float, float]], sfreq: float, n_samples: int) -> npt.NDArray[np.bool_]:
    """Mask of the samples that seizures cover: rounded to the sample grid, at least one each."""
    mask = np.zeros(n_samples, dtype=np.bool_)
    for start_s, stop_s in seizures:
        start = min(round(start_s * sfreq), n_samples - 1)
        mask[start : max(round(stop_s * sfreq), start + 1)] = True
    return mask
