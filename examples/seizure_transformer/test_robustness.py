"""What the authors of SeizureTransformer would ask of it before each merge."""

import pytest


@pytest.mark.robustseiz(max_fp_per_24h_increase=24)
def test_no_new_false_alarms(robustseiz_case):
    """In no subject does a shift add more than one false alarm an hour."""
    robustseiz_case.check()


@pytest.mark.robustseiz(shifts=["resample", "adc", "bandpass", "notch"], max_f1_drop=0.05)
def test_other_amplifiers(robustseiz_experiment):
    """Another amplifier at the same patient must hardly matter."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(shifts=["fgsm", "pgd"], max_sensitivity_drop=0.20)
def test_attacks(robustseiz_experiment):
    """The worst small change of the input costs at most a fifth of the seizures."""
    robustseiz_experiment.check()


@pytest.mark.robustseiz(max_phi_background=0.05)
def test_sure_of_the_background(robustseiz_experiment):
    """With dropout on, background is called seizure in less than one pass of twenty."""
    robustseiz_experiment.check()
