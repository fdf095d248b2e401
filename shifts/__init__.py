"""What is done to the signal: one small frozen class per shift, and the default grids."""

from pytest_robustseiz.shifts.adc import ADC
from pytest_robustseiz.shifts.attack import Attack
from pytest_robustseiz.shifts.awgn import AWGN
from pytest_robustseiz.shifts.bandpass import Bandpass
from pytest_robustseiz.shifts.base import NotApplicable, Shift, ShiftError, register, registered
from pytest_robustseiz.shifts.baseline import Baseline
from pytest_robustseiz.shifts.car import CAR
from pytest_robustseiz.shifts.channels import ELECTRODES, SYNONYMS
from pytest_robustseiz.shifts.drift import Drift
from pytest_robustseiz.shifts.drop_named import DropNamed
from pytest_robustseiz.shifts.drop_random import DropRandom
from pytest_robustseiz.shifts.fgsm import FGSM
from pytest_robustseiz.shifts.grids import PAPER, SMOKE, paper_grid, smoke_grid
from pytest_robustseiz.shifts.impedance import Impedance
from pytest_robustseiz.shifts.impulse import Impulse
from pytest_robustseiz.shifts.mains import Mains
from pytest_robustseiz.shifts.notch import Notch
from pytest_robustseiz.shifts.pgd import PGD, PGDMicrovolts
from pytest_robustseiz.shifts.random_sign import RandomSign
from pytest_robustseiz.shifts.resample import Resample

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
    # shifts: none, environment, noise
    "Baseline",
    "CAR",
    "Resample",
    "DropNamed",
    "DropRandom",
    "ADC",
    "Bandpass",
    "Impedance",
    "Drift",
    "AWGN",
    "Mains",
    "Impulse",
    "Notch",
    # attacks, and their control
    "Attack",
    "FGSM",
    "PGD",
    "PGDMicrovolts",
    "RandomSign",
    # grids
    "PAPER",
    "SMOKE",
    "paper_grid",
    "smoke_grid",
]
