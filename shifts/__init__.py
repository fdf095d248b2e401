"""What is done to the signal: one small frozen class per shift, and the default grids."""

from pytest_robustseiz.shifts.awgn import AWGN
from pytest_robustseiz.shifts.bandpass import Bandpass
from pytest_robustseiz.shifts.base import NotApplicable, Shift, ShiftError, register, registered
from pytest_robustseiz.shifts.baseline import Baseline
from pytest_robustseiz.shifts.channels import ELECTRODES, SYNONYMS
from pytest_robustseiz.shifts.drop_named import DropNamed
from pytest_robustseiz.shifts.grids import PAPER, paper_grid

__all__ = [
    # the contract
    "Shift",
    "ShiftError",
    "NotApplicable",
    "register",
    "registered",
    # channels
    "ELECTRODES",
    "SYNONYMS",
    # shifts
    "Baseline",
    "DropNamed",
    "Bandpass",
    "AWGN",
    # grids
    "PAPER",
    "paper_grid",
]
