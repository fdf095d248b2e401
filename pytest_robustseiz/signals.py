"""An EEG file as a list of channels, whatever its format."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]


class RecordingError(ValueError):
    """An EEG file cannot be read as what its corpus says it is."""


@dataclass(frozen=True)
class FileChannel:
    """One channel of an EEG file.

    Attributes
    ----------
    label : str
        As the file has it.
    sfreq : Fraction
        Exact sampling rate in Hz.
    n_samples : int
        How many there are.
    read_into : callable
        Writes all samples, in microvolts, into an array of shape (n_samples,), float32. Raises ValueError when the
        unit is not one of voltage; the message leaves file and channel to the caller.
    limits_uv : tuple of (float, float), optional
        Least and largest value that the file can hold, in microvolts; None where they are not known.
    defect : str
        Why the samples mean nothing, such as "physical minimum equals maximum"; "" for a sound channel.
    """

    label: str
    sfreq: Fraction
    n_samples: int
    read_into: Callable[[Samples], None]
    limits_uv: tuple[float, float] | None = None
    defect: str = ""


@dataclass(frozen=True)
class SignalFile:
    """An EEG file, opened but not loaded.

    Attributes
    ----------
    path : Path
        Where it is.
    channels : tuple of FileChannel
        All signals, in the order of the file, annotations excluded.
    duration_s : Fraction
        Exact length in seconds of what the file really holds.
    notes : tuple of str
        What opening noticed, a sentence each.
    """

    path: Path
    channels: tuple[FileChannel, ...]
    duration_s: Fraction
    notes: tuple[str, ...] = ()
