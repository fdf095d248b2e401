"""What one might ask of a predictor before each merge. Each baseline fails some of it, and not the same."""

import pytest


@pytest.mark.robustseiz(max_miss_rate=0.2, min_balanced_accuracy=0.4)
def test_says_something(robustseiz_experiment):
    """Under any shift four of five seizures get a warning: always interictal is no answer, and chance is 1/3."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(max_fpr_per_h=60)
def test_false_alarms(robustseiz_experiment):
    """At most one false alarm a minute, which is still too many for a bedside."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(shifts=["resample", "adc", "bandpass"], max_balanced_accuracy_drop=0.05)
def test_other_amplifiers(robustseiz_experiment):
    """Another amplifier at the same patient must hardly matter."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(shifts=["awgn", "mains", "impulse"], max_balanced_accuracy_drop=0.10)
def test_noise(robustseiz_experiment):
    """Noise may cost a tenth."""
    robustseiz_experiment.check()


def test_no_cliff(robustseiz_curve):
    """From one severity to the next, little is lost at once."""
    assert robustseiz_curve["balanced_accuracy"].max_step() < 0.2
