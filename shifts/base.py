"""The contract that every shift keeps."""

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypeVar

import array_api_compat
import numpy as np

from pytest_robustseiz.shifts.channels import ELECTRODES
from pytest_robustseiz.shifts.parameters import checked

Array = Any  # a numpy array or a torch tensor: whatever array_api_compat understands
Family = Literal["baseline", "environment", "noise", "adversarial"]
Param = str | int | float | bool | None | tuple[str, ...] | tuple[float, ...]


class ShiftError(ValueError):
    """A shift cannot act on this input, or broke its promise about the output."""


class NotApplicable(ShiftError):
    """A shift has no meaning for this montage; the setting is left out and said so."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Shift(ABC):
    """What is done to a recording, with all parameters fixed: one setting.

    A subclass is a frozen dataclass whose fields are its parameters, checks their range in `__post_init__` (after
    calling this one, which checks their types) and implements `perturb`. It is registered with `register`, so that
    marks, options and tables find it by name.

    Attributes
    ----------
    name, family : str
        Class attributes: the name of the shift and its family.
    version : int
        Class attribute. Raise it when the mathematics changes, so that stored results are computed again.
    """

    name: ClassVar[str]
    family: ClassVar[Family]
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Bring each parameter to its declared type; raise ValueError naming the field where that cannot be."""
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, checked(type(self), field.name, getattr(self, field.name)))

    @property
    def label(self) -> str:
        """The setting as a test id: the name, then each parameter that differs from its default."""
        parts = [self.name]
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                parts.append(f"{field.name}_{_label_value(value)}")
        return "-".join(parts)

    def params(self) -> dict[str, Param]:
        """All parameters, JSON-ready (tuples become lists in JSON)."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def spec(self) -> str:
        """Everything that defines the setting, as one line of sorted JSON."""
        identity = {"shift": self.name, "version": self.version, "params": self.params()}
        return json.dumps(identity, sort_keys=True, allow_nan=False)

    def apply(
        self, eeg: Array, sfreq: float, rng: np.random.Generator, *, channels: Sequence[str] = ELECTRODES
    ) -> Array:
        """Return a perturbed copy.

        Parameters
        ----------
        eeg : array, shape (n_channels, n_samples), float32 or float64
            Microvolts: a numpy array or a torch tensor of at least one channel and two samples. It is not changed.
        sfreq : float
            Sampling rate in Hz.
        rng : numpy.random.Generator
            Where random shifts draw from, for every kind of array.
        channels : sequence of str
            Channel names in the order of the rows. Only shifts that depend on electrodes or montage look at them.

        Returns
        -------
        array, shape (n_channels, n_samples)
            A new array of the same kind, dtype and device.

        Raises
        ------
        ShiftError
            When the input is not a float array of two dimensions, when input or result is not finite (the message
            names channel and sample), when the shift wrote to its input, or when it cannot act at this sampling rate.
        NotApplicable
            When the shift has no meaning for these channels.
        """
        require_signal(eeg, sfreq)
        require_finite(eeg, f"the input of {self.label}", channels)
        writes = _writes(eeg)
        with np.errstate(over="ignore", invalid="ignore"):  # the result is checked as a whole, below
            shifted = self.perturb(eeg, sfreq, rng, channels)
        if shifted.shape != eeg.shape or shifted.dtype != eeg.dtype:
            raise ShiftError(f"{self.label} returned {shifted.dtype}, {tuple(shifted.shape)}")
        if _writes(eeg) != writes:
            raise ShiftError(f"{self.label} wrote to its input; return a changed copy")
        require_finite(shifted, f"the output of {self.label}", channels)
        return shifted

    @abstractmethod
    def perturb(self, eeg: Array, sfreq: float, rng: np.random.Generator, channels: Sequence[str]) -> Array:
        """Do the work of `apply`, on input that was checked."""

    def measure(self, eeg: Array, shifted: Array, sfreq: float) -> dict[str, float]:
        """Figures of the shift's own that say what it did, such as the measured SNR in dB.

        Parameters are those of `apply` and its result. The harness measures the change itself for every shift.
        """
        return {}


def require_signal(eeg: Array, sfreq: float) -> None:
    """Raise `ShiftError` unless these are float32 or float64 samples of shape (n_channels, n_samples)."""
    xp = array_api_compat.array_namespace(eeg)
    if eeg.dtype not in (xp.float32, xp.float64) or eeg.ndim != 2 or eeg.shape[0] < 1 or eeg.shape[1] < 2:
        raise ShiftError(
            "eeg: expected float32 or float64 of shape (n_channels, n_samples), at least (1, 2), "
            f"got {eeg.dtype} of shape {tuple(eeg.shape)}"
        )
    if not 0 < sfreq < float("inf"):
        raise ShiftError(f"sfreq: expected a sampling rate in Hz above 0, got {sfreq}")


def require_finite(eeg: Array, what: str, channels: Sequence[str]) -> None:
    """Raise `ShiftError` naming the channel and the sample of the first value that is not finite."""
    xp = array_api_compat.array_namespace(eeg)
    with np.errstate(over="ignore", invalid="ignore"):
        total = xp.sum(eeg)  # one pass without a temporary; a NaN or an infinity survives a sum
    if bool(xp.isfinite(total)):
        return
    for i in range(eeg.shape[0]):
        bad = ~xp.isfinite(eeg[i, :])
        if bool(xp.any(bad)):
            name = channels[i] if i < len(channels) else str(i)
            raise ShiftError(
                f"{what} is not finite at channel {name}, sample {int(xp.argmax(xp.astype(bad, xp.int8)))}"
            )


def _writes(eeg: Array) -> int:
    """How often a torch tensor was written to, since none can be read-only; 0 for what keeps no count."""
    if isinstance(eeg, np.ndarray):
        return 0
    counts = array_api_compat.is_torch_array(eeg) and not eeg.is_inference()
    return int(eeg._version) if counts else 0


_SHIFTS: dict[str, type[Shift]] = {}
ShiftClass = TypeVar("ShiftClass", bound=type[Shift])


def register(cls: ShiftClass) -> ShiftClass:
    """Make a shift known by its name (a class decorator, outside `dataclass`).

    Raises
    ------
    ValueError
        When another class has the name already.
    """
    known = _SHIFTS.get(cls.name)
    if known is not None:
        raise ValueError(f"two shifts are called {cls.name!r}: {known.__module__} and {cls.__module__}")
    _SHIFTS[cls.name] = cls
    return cls


def registered() -> dict[str, type[Shift]]:
    """All registered shifts by name."""
    return dict(_SHIFTS)


def _label_value(value: Param) -> str:
    if isinstance(value, tuple):
        return "_".join(_label_value(item) for item in value) or "none"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).replace("+", "")  # 1e+16: a plus has no place in a test id
