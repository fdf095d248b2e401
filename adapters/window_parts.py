"""Small parts of detectors in numpy."""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.adapters.fingerprints import fingerprint


def zscore(windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Scale each channel of each window to mean 0 and deviation 1; a flat channel becomes zero.

    Parameters
    ----------
    windows : ndarray of float, shape (..., n_window_samples)

    Returns
    -------
    ndarray, shape and dtype of the input
    """
    # The mean of equal samples is rounded and leaves something; their difference from the first leaves nothing.
    centred: npt.NDArray[Any] = windows - windows[..., :1]
    centred -= centred.mean(axis=-1, keepdims=True)
    deviation = np.linalg.vector_norm(centred, axis=-1, keepdims=True) / windows.shape[-1] ** 0.5
    centred /= np.where(deviation > 0, deviation, 1)
    return centred


def hash_content(path: Path) -> str:
    """SHA-256 of a file, or of the names and contents of all files in a folder.

    Parameters
    ----------
    path : Path
        Its own name is not part of the hash.

    Raises
    ------
    ValueError
        When there is nothing at the path.
    """
    if path.is_dir():
        inside = {file.relative_to(path).as_posix(): hash_content(file) for file in _files_in(path)}
        return fingerprint(inside)
    if not path.is_file():
        raise ValueError(f"files: expected a file or folder at {path}, and there is none")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def version_behind(model: object) -> str:
    """Version of the package that a model's class comes from, where it tells."""
    package = type(model).__module__.partition(".")[0]
    return f"{package} {getattr(sys.modules.get(package), '__version__', '')}"
