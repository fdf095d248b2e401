"""One visit of a detector to a recording: what it says there, checked."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pytest_robustseiz.adapters import (
    Adapter,
    AgreementUnavailable,
    Examination,
    ExaminationUnavailable,
    Examiner,
    Measuring,
    StochasticPasses,
    as_agreement,
    as_mask,
)
from pytest_robustseiz.adapters.contract import Array, TakesTensors
from pytest_robustseiz.adapters.prediction import PredictionAdapter, as_classes, count_seconds
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.shifts import Attack, NotApplicable, Shift
from pytest_robustseiz.shifts.rows import copied
from pytest_robustseiz.tasks import DETECTION, PREDICTION, Task

Model = Adapter | PredictionAdapter


class DetectorError(RuntimeError):
    """A detector or predictor raised, or returned something that is no answer; the case has no result."""


class AttackError(ValueError):
    """An attack could not do anything, or broke its promise; its scores would say nothing about robustness."""


@dataclass(frozen=True, eq=False)
class Visit:
    """What is to be found out on a recording.

    Attributes
    ----------
    adapter : Adapter
        The detector.
    recording : Recording
        The recording, unperturbed.
    setting : Shift
        The setting.
    rng : numpy.random.Generator
        For an attack.
    stochastic : StochasticPasses, optional
        Agreement stage; None leaves it out.
    task : Task
        Whether the adapter is asked for a mask or for classes.
    """

    adapter: Model
    recording: Recording
    setting: Shift
    rng: np.random.Generator
    stochastic: StochasticPasses | None
    task: Task = DETECTION

    def run(self, eeg: Array) -> Examination:
        """Ask the detector.

        Parameters
        ----------
        eeg : array of float32, shape (n_channels, n_samples)
            What it is to see; the detector may write to it.

        Returns
        -------
        Examination
            With a mask of booleans, or a class for each second, and an agreement that were checked.

        Raises
        ------
        DetectorError
            When the detector fails; the message names the recording and the setting.
        NotApplicable
            When the setting is an attack, and the detector cannot be attacked.
        """
        try:
            return self._checked(self._ask(beside_model(eeg, self.adapter)))
        except NotApplicable:
            raise
        except Exception as error:  # the detector is the author's code: anything can come out of it
            raise DetectorError(
                f"{self.adapter.name} failed on {self.recording.stem} under {self.setting.label}: "
                f"{type(error).__name__}: {error}"
            ) from error

    def _ask(self, eeg: Array) -> Examination:
        attack = self.setting if isinstance(self.setting, Attack) else None
        require_attackable(self.adapter, self.setting)
        if not isinstance(self.adapter, Examiner):
            return self._from_outside(eeg)
        sfreq, channels = self.recording.sfreq, self.recording.channels
        try:
            return self.adapter.examine(eeg, sfreq, channels, attack=attack, rng=self.rng, stochastic=self.stochastic)
        except ExaminationUnavailable as error:
            if attack is not None:
                raise NotApplicable(str(error)) from error
        return self._from_outside(eeg)

    def _from_outside(self, eeg: Array) -> Examination:
        sfreq, channels, asked = self.recording.sfreq, self.recording.channels, self.stochastic
        spare = copied(eeg) if asked is not None else eeg
        found = self._answer(eeg)
        if asked is None:
            return found
        try:
            answer: Any = self.adapter.agreement(
                spare, sfreq, channels, passes=asked.passes, tau=asked.tau, seed=asked.seed
            )
        except AgreementUnavailable as error:
            return replace(found, unavailable=str(error))
        return replace(found, agreement=answer)

    def _answer(self, eeg: Array) -> Examination:
        sfreq, channels = self.recording.sfreq, self.recording.channels
        if isinstance(self.adapter, Measuring):
            return self.adapter.detect_measured(eeg, sfreq, channels)
        ask: Any = getattr(self.adapter, "predict" if self.task is PREDICTION else "detect")
        return Examination(mask=ask(eeg, sfreq, channels))

    def _checked(self, found: Examination) -> Examination:
        n_steps, predicts = self.recording.n_samples, self.task is PREDICTION
        if predicts:
            n_steps = count_seconds(n_steps, self.recording.sfreq)
        if isinstance(self.setting, Attack):
            self._check_attack(self.setting, found)
        agreement = None
        if self.stochastic is not None and not found.unavailable:
            agreement = as_agreement(found.agreement, n_steps, self.stochastic.passes)
        return replace(found, mask=(as_classes if predicts else as_mask)(found.mask, n_steps), agreement=agreement)

    def _check_attack(self, attack: Attack, found: Examination) -> None:
        outcome = found.outcome
        if outcome is None:
            raise AttackError("examine() said nothing of what the attack achieved")
        if attack.guided and outcome.without_gradient == outcome.windows:
            raise AttackError(
                f"no gradient reaches any of the {outcome.windows} windows, so the attack did nothing; the logits must "
                "depend on the windows without a threshold, rounding, numpy, no_grad or inference_mode in between"
            )
        if found.attacked is not None:
            change = float(np.abs(found.attacked - self.recording.eeg).max())
            allowed = attack.bound + float(np.abs(found.attacked).max()) * float(np.finfo(np.float32).eps)
            if not change <= allowed:
                raise AttackError(f"a sample was changed by {change:.6g} uV; expected at most {attack.bound:.6g}")


def beside_model(eeg: Array, adapter: Model) -> Array:
    """Bring a recording to where the detector takes it.

    Parameters
    ----------
    eeg : array, shape (n_channels, n_samples)
        Microvolts.
    adapter : Adapter
        The detector.

    Returns
    -------
    array, shape (n_channels, n_samples)
        For an adapter that is `TakesTensors` and names a device, a tensor there, a copy where `eeg` is a numpy array;
        for all others, and where it is a tensor already, `eeg` itself.
    """
    device = adapter.eeg_device if isinstance(adapter, TakesTensors) else None
    if device is None or not isinstance(eeg, np.ndarray):
        return eeg
    import torch

    return torch.tensor(eeg, device=device)


def require_attackable(adapter: Model, setting: Shift) -> None:
    """Raise `NotApplicable` where the setting is an attack and the detector shows nothing of its inside."""
    if isinstance(setting, Attack) and not isinstance(adapter, Examiner):
        raise NotApplicable(
            f"{adapter.name} gives no gradients: attacks need a detector with examine(), as TorchAdapter has"
        )
