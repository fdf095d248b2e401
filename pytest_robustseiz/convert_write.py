"""Signals and sidecar of one recording in the BIDS tree."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from pytest_robustseiz.adapters.command_edf import write_edf as write_anonymous_edf
from pytest_robustseiz.convert_signals import Signals
from pytest_robustseiz.rows import SFREQ_HZ

_RECORDING_FIELD, _START_FIELD = 88, 168  # where they begin in the header of an EDF file
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")  # in any locale


def write_edf(path: Path, signals: Signals, *, start: datetime | None) -> float:
    """Write signals as EDF, 16 bit, each channel between its own extremes.

    Parameters
    ----------
    path : Path
        The file to write.
    signals : Signals
        What to write; labels are those that epilepsy2bids gives.
    start : datetime or None
        When the recording began; an EDF file without a date says 1 January 1985.

    Returns
    -------
    float
        The largest step between two values of a channel, in microvolts: samples are rounded by half of it at most.
    """
    labels = [name if "-" in name else f"{name}-Avg" for name in signals.channels]
    written = write_anonymous_edf(path, signals.eeg, float(SFREQ_HZ), labels)
    if start:
        with path.open("r+b") as file:
            file.seek(_RECORDING_FIELD)
            file.write(f"Startdate {start.day:02d}-{_MONTHS[start.month - 1]}-{start.year} X X X".ljust(80).encode())
            file.seek(_START_FIELD)
            file.write(start.strftime("%d.%m.%y%H.%M.%S").encode())
    return max(written.step_uv)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file as the others of a BIDS tree are: UTF-8, two blanks deep."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
