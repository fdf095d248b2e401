"""The default grids, in order of severity (Mohammadi and Zarei, arXiv 2609.04007, section on shifts)."""

from pytest_robustseiz.shifts.adc import ADC
from pytest_robustseiz.shifts.attack import Mode
from pytest_robustseiz.shifts.awgn import AWGN
from pytest_robustseiz.shifts.bandpass import Bandpass
from pytest_robustseiz.shifts.base import Shift
from pytest_robustseiz.shifts.baseline import Baseline
from pytest_robustseiz.shifts.car import CAR
from pytest_robustseiz.shifts.drift import Drift
from pytest_robustseiz.shifts.drop_named import DropNamed
from pytest_robustseiz.shifts.drop_random import DropRandom
from pytest_robustseiz.shifts.fgsm import FGSM
from pytest_robustseiz.shifts.impedance import Impedance
from pytest_robustseiz.shifts.impulse import Impulse
from pytest_robustseiz.shifts.mains import Mains
from pytest_robustseiz.shifts.notch import Notch
from pytest_robustseiz.shifts.pgd import PGD
from pytest_robustseiz.shifts.resample import Resample

SLOW_BANDS = ((0.05, 0.5), (0.0, 1.0), (0.1, 1.0))  # Hz; by the middle of the band, which nears that of the EEG
BURST_S = 10.0  # settled here: the paper says "intermittent" and no more

# A level over a channel's RMS is below any level in microvolts: the RMS of a scalp channel is some 40 uV.
IMPEDANCE = (
    *(Impedance(low_hz=low, high_hz=high, rms_ratio=0.25) for low, high in SLOW_BANDS),
    *(
        Impedance(low_hz=low, high_hz=high, rms_uv=level)
        for level in (25.0, 50.0, 100.0, 200.0)
        for low, high in SLOW_BANDS
    ),
)

# By the RMS of the drift over all channels, then by band. The RMS of a sine is 0.7 of its amplitude, a drift that is on
# half of the time has 0.7 of its RMS, and one or two channels of 19 have 0.2 or 0.3 of it.
DRIFT = (
    Drift(mode="sin", freq_hz=0.2, amplitude_ratio=0.03),
    Drift(mode="random_walk", low_hz=0.05, high_hz=0.5, amplitude_ratio=0.10, n_channels=1),
    Drift(mode="sin_band", low_hz=0.05, high_hz=0.5, amplitude_ratio=0.10),
    Drift(mode="sin_band", low_hz=0.0, high_hz=1.0, amplitude_ratio=0.10),
    Drift(mode="sin_band", low_hz=0.1, high_hz=1.0, amplitude_ratio=0.10),
    Drift(mode="random_walk", low_hz=0.05, high_hz=0.5, amplitude_ratio=0.10, burst_s=BURST_S),
    Drift(mode="random_walk", low_hz=0.05, high_hz=0.5, amplitude_ratio=0.10),
    Drift(mode="piecewise", low_hz=0.05, high_hz=0.5, amplitude_ratio=0.10),
    Drift(mode="random_walk", low_hz=0.0, high_hz=1.0, amplitude_ratio=0.10),
    Drift(mode="random_walk", low_hz=0.1, high_hz=1.0, amplitude_ratio=0.10),
    Drift(mode="sin_band", low_hz=0.0, high_hz=1.0, amplitude_uv=50.0, n_channels=2),
    Drift(mode="sin", freq_hz=0.2, amplitude_uv=50.0),
    Drift(mode="sin_band", low_hz=0.05, high_hz=0.5, amplitude_uv=50.0),
    Drift(mode="sin_band", low_hz=0.0, high_hz=1.0, amplitude_uv=50.0),
    Drift(mode="sin_band", low_hz=0.1, high_hz=1.0, amplitude_uv=50.0),
    Drift(mode="sin_band", low_hz=0.1, high_hz=1.0, amplitude_uv=100.0, burst_s=BURST_S),
)

# By the RMS of the change in scalp EEG: clipping at 100 uV outweighs rounding to a sixteenth of the peak, since large
# artefacts and the offsets of DC amplifiers lie beyond 100 uV.
QUANTISERS = (ADC(bits=12), ADC(bits=5), ADC(bits=10, full_scale_uv=100.0))

# By the power of the spikes, share times height squared.
IMPULSE = tuple(
    sorted(
        (
            Impulse(share=share, height_ratio=height)
            for share in (0.0005, 0.001, 0.005, 0.008, 0.01)
            for height in (2.0, 4.0)
        ),
        key=lambda setting: setting.share * setting.height_ratio**2,
    )
)

# Notches alone, by their number and width; then lines that the notch does not meet, by amplitude.
NOTCH = (
    Notch(freqs_hz=()),
    Notch(freqs_hz=(50.0,)),
    Notch(freqs_hz=(60.0,)),
    Notch(freqs_hz=(50.0, 100.0)),
    Notch(freqs_hz=(60.0, 120.0)),
    Notch(freqs_hz=(50.0,), mains_hz=60.0, mains_ratio=0.03),
    Notch(freqs_hz=(60.0, 120.0), mains_hz=50.0, mains_ratio=0.05),
    Notch(freqs_hz=(50.0, 100.0), mains_hz=60.0, mains_ratio=0.05),
    Notch(freqs_hz=(60.0,), mains_hz=50.0, mains_ratio=0.10),
    Notch(freqs_hz=(50.0,), mains_hz=60.0, mains_ratio=0.10),
)

EPSILONS = (0.01, 0.05, 0.1, 0.5, 0.8, 1.0)  # in the unit of the detector's input windows
MODES: tuple[Mode, ...] = ("increase", "decrease", "flip")

PAPER: dict[str, tuple[Shift, ...]] = {
    "car": (CAR(),),
    "resample": tuple(Resample(rate_hz=rate) for rate in (230.0, 200.0, 100.0, 50.0)),
    "drop_named": tuple(DropNamed(electrodes=pair) for pair in (("O1", "O2"), ("T7", "T8"))),
    "drop_random": tuple(DropRandom(n_channels=n) for n in (1, 2, 4, 8)),
    "adc": QUANTISERS,
    "bandpass": tuple(
        Bandpass(low_hz=low, high_hz=high) for low, high in ((0.5, 40.0), (1.0, 40.0), (1.0, 30.0), (0.5, 25.0))
    ),
    "impedance": IMPEDANCE,
    "drift": DRIFT,
    "awgn": tuple(AWGN(snr_db=snr) for snr in (100.0, 50.0, 20.0, 5.0, 2.0, 0.0)),
    "mains": tuple(Mains(freq_hz=60.0, amplitude_ratio=ratio) for ratio in (0.1, 0.5, 0.8, 1.0)),
    "impulse": IMPULSE,
    "notch": NOTCH,
    "fgsm": tuple(FGSM(epsilon=epsilon, mode=mode) for epsilon in EPSILONS for mode in MODES),
    "pgd": tuple(PGD(epsilon=epsilon, mode=mode) for epsilon in EPSILONS for mode in MODES),
}

# One telling setting per shift: strong enough to be seen, not so strong that any detector fails.
SMOKE: tuple[Shift, ...] = (
    CAR(),
    Resample(rate_hz=100.0),
    DropNamed(electrodes=("T7", "T8")),
    DropRandom(n_channels=4),
    ADC(bits=5),
    Bandpass(low_hz=1.0, high_hz=30.0),
    Impedance(low_hz=0.1, high_hz=1.0, rms_uv=50.0),
    Drift(mode="sin_band", low_hz=0.1, high_hz=1.0, amplitude_uv=50.0),
    AWGN(snr_db=5.0),
    Mains(freq_hz=60.0, amplitude_ratio=0.5),
    Impulse(share=0.005, height_ratio=4.0),
    Notch(freqs_hz=(60.0,), mains_hz=50.0, mains_ratio=0.10),
    FGSM(epsilon=0.1, mode="flip"),
    PGD(epsilon=0.1, mode="flip"),
)


def paper_grid() -> tuple[Shift, ...]:
    """All settings of the default grid: the baseline, then shift by shift in order of severity."""
    return (Baseline(), *(setting for settings in PAPER.values() for setting in settings))


def smoke_grid() -> tuple[Shift, ...]:
    """A grid for quick runs: the baseline and one telling setting of each shift, all of them in the default grid."""
    return (Baseline(), *SMOKE)
