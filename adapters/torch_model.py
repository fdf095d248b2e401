"""What all models written in PyTorch have in common: running their steps, attacks and stochastic passes."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pytest_robustseiz.adapters.agreement import Agreement, AgreementUnavailable, StochasticPasses
from pytest_robustseiz.adapters.batches import Windowed
from pytest_robustseiz.adapters.contract import Array
from pytest_robustseiz.adapters.examination import AttackLike, Examination, ExaminationUnavailable
from pytest_robustseiz.adapters.fingerprints import NotFingerprintable, fingerprint, source_of
from pytest_robustseiz.adapters.stochastic import agree
from pytest_robustseiz.adapters.torch_attack import Seen, attack_recording, attack_windows
from pytest_robustseiz.adapters.torch_parts import evaluating, settings_of
from pytest_robustseiz.adapters.torch_steps import TorchSteps

# What does not decide the answers, so that it is no part of the fingerprint.
_NOT_IDENTITY = {"module", "device", "batch_size", "group_limit", "has_dropout", "_remarks"}


class TorchModel(TorchSteps):
    """What `TorchAdapter` and `TorchPredictor` share; see there.

    Attributes
    ----------
    question : str
        Class attribute: name of the method by which the harness asks.
    """

    question: ClassVar[str]

    @property
    def eeg_device(self) -> torch.device | None:
        """See `TakesTensors.eeg_device`: the device, but for the CPU.

        None too where an author overrides `detect`, `probabilities`, `examine` or `agreement`, which may need numpy
        arrays; one that takes tensors overrides this as well. `preprocess` gets a tensor on the device in any case.
        """
        return None if self.device.type == "cpu" or self._overridden("examine") else self.device

    def probabilities(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.float32]:
        """Probability of seizure of each window, or of each sample of each window.

        Parameters
        ----------
        eeg : array, shape (n_channels, n_samples), float32
            Microvolts.
        sfreq : float
            Sampling rate in Hz.
        channels : sequence of str
            Names of the rows.

        Returns
        -------
        ndarray of float32, shape (n_windows,) or (n_windows, n_window_samples)

        Raises
        ------
        ValueError
            When the network returns NaN or a wrong number of logits.
        """
        with torch.no_grad(), evaluating(self.module):
            return self._forward(self.preprocess(self._signal(eeg), sfreq, channels))

    def examine(
        self,
        eeg: Array,
        sfreq: float,
        channels: Sequence[str],
        *,
        attack: AttackLike | None = None,
        rng: np.random.Generator | None = None,
        stochastic: StochasticPasses | None = None,
    ) -> Examination:
        """See `Examiner.examine`; the stages share one preprocessing. Without `rng` the attack draws from seed 0."""
        self._require_own_steps()
        n_samples = eeg.shape[1]
        with torch.no_grad(), evaluating(self.module):
            seen = self._see(self._signal(eeg), sfreq, channels, attack, rng, keep=stochastic is not None)
            agreement, unavailable = None, ""
            if stochastic is not None and seen.windows is not None:
                try:
                    agreement = agree(self, seen.windows, n_samples, sfreq, stochastic)
                except AgreementUnavailable as error:
                    unavailable = str(error)
        return Examination(
            mask=self.postprocess(seen.probabilities, n_samples, sfreq),
            near_threshold=self.near_threshold(seen.probabilities, n_samples, sfreq),
            outcome=seen.outcome,
            attacked=seen.recording,
            agreement=agreement,
            unavailable=unavailable,
        )

    def agreement(
        self, eeg: Array, sfreq: float, channels: Sequence[str], *, passes: int, tau: float, seed: int
    ) -> Agreement:
        """See `Adapter.agreement`: dropout is on and everything else in evaluation mode."""
        with torch.no_grad(), evaluating(self.module):
            windows = self.preprocess(self._signal(eeg), sfreq, channels)
            return agree(self, windows, eeg.shape[1], sfreq, StochasticPasses(passes, tau, seed))

    def fingerprint(self) -> str | None:
        """Hash of weights, author's code and attributes; None where an attribute cannot be hashed."""
        kept = {key: value for key, value in vars(self).items() if key not in _NOT_IDENTITY}
        settings = (self.name, self.montages, self.window_s, self.step_s, vars(self.eventizer))
        parts = {type(part) for part in self.module.modules()}
        state = {key: value.detach().cpu().numpy() for key, value in self.module.state_dict().items()}
        network = (repr(self.module), settings_of(self.module))
        try:
            code = (type(self).__qualname__, source_of(type(self), *parts))
            return fingerprint(torch.__version__, settings, kept, network, code, state)
        except NotFingerprintable:
            return None

    def _signal(self, eeg: Array) -> Tensor:
        if isinstance(eeg, np.ndarray) and not eeg.flags.writeable:
            eeg = eeg.copy()  # torch has no read-only tensors
        return torch.as_tensor(eeg, device=self.device)

    def _see(
        self,
        eeg: Tensor,
        sfreq: float,
        channels: Sequence[str],
        attack: AttackLike | None,
        rng: np.random.Generator | None,
        *,
        keep: bool,
    ) -> Seen:
        generator = np.random.default_rng(0) if rng is None else rng
        if attack is not None and attack.on_recording:
            return attack_recording(self, eeg, sfreq, channels, attack, generator)
        windows = self.preprocess(eeg, sfreq, channels)
        if attack is not None:
            return attack_windows(self, windows, attack, generator, keep=keep)
        return Seen(windows, self._forward(windows))

    def _forward(self, windows: Windowed) -> npt.NDArray[np.float32]:
        found = self.in_batches(windows, lambda batch, _: self.checked_probabilities(self.checked_logits(batch)))
        return np.concatenate(found)

    def postprocess(self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float) -> npt.NDArray[Any]:
        """Make the model's answer of the probabilities of a recording; its own class says which."""
        raise NotImplementedError

    def near_threshold(self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float) -> int:
        """How many probabilities lie so close to a decision that rounding may decide them.

        Parameters
        ----------
        probabilities : ndarray of float32
            As `probabilities` returns them.
        n_samples : int
            Length of the recording.
        sfreq : float
            Sampling rate in Hz.
        """
        raise NotImplementedError

    def _overridden(self, *more: str) -> list[str]:
        names = (self.question, "probabilities", "agreement", *more)
        ours = next(base for base in type(self).__mro__ if base.__module__.rpartition(".")[0] == __package__)
        return [name for name in names if getattr(type(self), name) is not getattr(ours, name)]

    def _require_own_steps(self) -> None:
        own = self._overridden()
        if own:
            raise ExaminationUnavailable(
                f"{self.name} overrides {' and '.join(own)}, which an attack would pass by; override preprocess, "
                "logits, timeline or postprocess instead, or examine() too"
            )
