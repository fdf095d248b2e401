"""What the author of EEGWaveNet would ask of it before each merge."""

import pytest


@pytest.mark.robustseiz(max_fp_per_24h_increase=24)
def test_no_new_false_alarms(robustseiz_case):
    """In no subject does a shift add more than one false alarm an hour."""
    robustseiz_case.check()


@pytest.mark.robustseiz(shifts=["resample", "adc", "bandpass"], max_f1_drop=0.05)
def test_other_amplifiers(robustseiz_experiment):
    """Another amplifier at the same patient must hardly matter."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(shifts=["awgn", "mains", "impulse"], max_f1_drop=0.10, max_sensitivity_drop=0.10)
def test_noise(robustseiz_experiment):
    """Noise may cost a tenth."""
    robustseiz_experiment.check()


def test_no_cliff(robustseiz_curve):
    """From one severity to the next, little is lost at once."""
    assert robustseiz_curve["event_f1"].max_step() < 0.2
