"""Bipolar pairs from unipolar electrodes."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def derive_pairs(
    eeg: npt.NDArray[np.floating], channels: Sequence[str], pairs: Sequence[str]
) -> npt.NDArray[np.floating]:
    """Difference of two electrodes per pair.

    Parameters
    ----------
    eeg : ndarray of float, shape (n_channels, n_samples)
        Microvolts against any common reference, which cancels. A recording that holds the pairs already is returned
        in the order of `pairs`.
    channels : sequence of str
        Names of the rows.
    pairs : sequence of str
        Such as "Fp1-F3".

    Returns
    -------
    ndarray, shape (n_pairs, n_samples)
        Microvolts, dtype of the input.

    Raises
    ------
    ValueError
        When an electrode of a pair is not among the channels.
    """
    row = {name: i for i, name in enumerate(channels)}
    if all(pair in row for pair in pairs):
        return eeg[[row[pair] for pair in pairs]]
    derived = np.empty((len(pairs), eeg.shape[1]), dtype=eeg.dtype)
    for i, pair in enumerate(pairs):
        missing = [name for name in pair.split("-") if name not in row]
        if missing:
            raise ValueError(f"pairs: {pair} needs {' and '.join(missing)}; the recording has {', '.join(channels)}")
        plus, minus = pair.split("-")
        np.subtract(eeg[row[plus]], eeg[row[minus]], out=derived[i])
    return derived
