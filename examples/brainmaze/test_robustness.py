"""What one would ask of the models of brainmaze-eeg-models before each merge."""

import pytest


@pytest.mark.robustseiz(max_fp_per_24h_increase=24)
def test_no_new_false_alarms(robustseiz_case):
    """In no subject does a shift add more than one false alarm an hour."""
    robustseiz_case.check()


@pytest.mark.robustseiz(shifts=["resample", "adc", "bandpass"], max_f1_drop=0.05)
def test_other_amplifiers(robustseiz_experiment):
    """Another amplifier at the same patient must hardly matter."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(shifts=["mains", "notch"], max_sensitivity_drop=0.10)
def test_hum_and_what_removes_it(robustseiz_experiment):
    """The network looks up to 99 Hz, so mains hum is in its band."""
    robustseiz_experiment.check()
