"""The digital Butterworth band-pass in closed form (bilinear transform, edges prewarped).

Source: Oppenheim and Schafer, Discrete-Time Signal Processing, section 7.2. In closed form the response is stable at
any order and band, where one recursion of high order is not.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

RINGING = 1e-8  # share of its largest value below which an impulse response is over


def butterworth_response(
    freqs_hz: npt.NDArray[np.floating[Any]], low_hz: float, high_hz: float, order: int, sfreq: float
) -> npt.NDArray[np.complex128]:
    """Complex response of one pass.

    Parameters
    ----------
    freqs_hz : ndarray of float64, shape (n_freqs,)
        From 0 to Nyquist.
    low_hz, high_hz : float
        Edges in Hz, where the gain is -3 dB.
    order : int
        Order of the low-pass prototype.
    sfreq : float
        Sampling rate in Hz.

    Returns
    -------
    ndarray of complex128, shape (n_freqs,)
        Of magnitude 0 to 1.
    """
    low, high = _warped(low_hz, sfreq), _warped(high_hz, sfreq)
    angle = np.pi * freqs_hz / sfreq
    sine, cosine = np.sin(angle), np.cos(angle)
    # s = (w^2 - low high) / (w (high - low)) with w = tan(angle), multiplied out so that neither 0 Hz nor Nyquist
    # divides by zero.
    passed = sine * cosine * (high - low)
    stopped = sine**2 - low * high * cosine**2
    response = np.ones(freqs_hz.shape, np.complex128)
    for pole in _prototype(order):
        response *= passed / (1j * stopped - pole * passed)
    return response


def butterworth_reach(low_hz: float, high_hz: float, order: int, sfreq: float) -> int:
    """Samples after which the impulse response of the slowest pole is over."""
    low, high = _warped(low_hz, sfreq), _warped(high_hz, sfreq)
    middle = _prototype(order) * (high - low) / 2
    root = np.sqrt(middle**2 - low * high)
    analog = np.concatenate([middle + root, middle - root])
    slowest = np.abs((1 + analog) / (1 - analog)).max()
    return math.ceil(math.log(RINGING) / math.log(slowest))


def _warped(edge_hz: float, sfreq: float) -> float:
    return math.tan(math.pi * edge_hz / sfreq)


def _prototype(order: int) -> npt.NDArray[np.complex128]:
    poles: npt.NDArray[np.complex128] = np.exp(1j * np.pi * (2 * np.arange(order) + order + 1) / (2 * order))
    return poles
