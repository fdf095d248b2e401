"""What one would ask of rules that compare each channel with its own past."""

import pytest


@pytest.mark.robustseiz(shifts=["resample", "adc", "bandpass"], max_f1_drop=0.05)
def test_other_amplifiers(robustseiz_experiment):
    """Another amplifier at the same patient must hardly matter."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(shifts=["awgn", "mains", "impulse"], max_f1_drop=0.20)
def test_noise(robustseiz_experiment):
    """Noise may cost a fifth."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(shifts=["impedance", "drift"], max_fp_per_24h_increase=24)
def test_no_false_alarms_from_electrodes(robustseiz_experiment):
    """What electrodes do adds no more than one false alarm an hour."""
    robustseiz_experiment.check()
