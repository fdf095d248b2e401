"""The default grids, in order of severity (Mohammadi and Zarei, arXiv 2609.04007, section on shifts)."""

from pytest_robustseiz.shifts.awgn import AWGN
from pytest_robustseiz.shifts.bandpass import Bandpass
from pytest_robustseiz.shifts.base import Shift
from pytest_robustseiz.shifts.baseline import Baseline
from pytest_robustseiz.shifts.drop_named import DropNamed

PAPER: dict[str, tuple[Shift, ...]] = {
    "drop_named": tuple(DropNamed(electrodes=pair) for pair in (("O1", "O2"), ("T7", "T8"))),
    "bandpass": tuple(
        Bandpass(low_hz=low, high_hz=high) for low, high in ((0.5, 40.0), (1.0, 40.0), (1.0, 30.0), (0.5, 25.0))
    ),
    "awgn": tuple(AWGN(snr_db=snr) for snr in (100.0, 50.0, 20.0, 5.0, 2.0, 0.0)),
}


def paper_grid() -> tuple[Shift, ...]:
    """All settings of the default grid: the baseline, then shift by shift in order of severity."""
    return (Baseline(), *(setting for settings in PAPER.values() for setting in settings))
