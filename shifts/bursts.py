"""On and off: what makes a disturbance intermittent."""

import numpy as np
import numpy.typing as npt

RAMP_S = 0.5  # a step at the edge would be a broadband artefact of its own


def burst_envelope(n_samples: int, sfreq: float, burst_s: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Bursts and pauses by turns, each lasting 0.5 to 1.5 times burst_s, with raised-cosine edges.

    The recording begins somewhere inside a burst, so that the shortest one has something of it.

    Parameters
    ----------
    n_samples : int
        Length of the recording.
    sfreq : float
        Sampling rate in Hz.
    burst_s : float
        Mean length of bursts and of pauses in seconds, at least twice the length of a ramp.
    rng : numpy.random.Generator
        Where to draw from.

    Returns
    -------
    ndarray of float64, shape (n_samples,)
        1 in bursts, 0 in pauses.
    """
    n_turns = 2 + int(2 * n_samples / sfreq / burst_s)
    lengths = burst_s * rng.uniform(0.5, 1.5, n_turns)
    turns = np.cumsum(lengths) - rng.uniform(0, lengths[0])
    knots = np.stack([turns - RAMP_S / 2, turns + RAMP_S / 2], axis=1).reshape(-1)
    levels = np.tile([1.0, 0.0, 0.0, 1.0], n_turns)[: knots.shape[0]]
    ramps = np.interp(np.arange(n_samples) / sfreq, knots, levels)
    envelope: npt.NDArray[np.float64] = (1 - np.cos(np.pi * ramps)) / 2
    return envelope
