"""Detectors written in PyTorch: three steps that an author overrides."""

from collections.abc import Sequence

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
from pytest_robustseiz.adapters.torch_parts import evaluating, load_weights, settings_of, zscore
from pytest_robustseiz.adapters.torch_steps import TorchSteps

__all__ = ["TorchAdapter", "Windowed", "evaluating", "load_weights", "zscore"]

NEAR = 1e-6  # probabilities this close to the threshold may fall on either side by rounding
# What does not decide the answers, so that it is no part of the fingerprint.
_NOT_IDENTITY = {"module", "device", "batch_size", "group_limit", "has_dropout", "_remarks"}


class TorchAdapter(TorchSteps):
    """A detector made of `preprocess`, `logits` and `postprocess`.

    Override `preprocess` for other windows or another normalisation, `logits` for a model whose output is not one
    logit, `postprocess` for other rules. The module is put into evaluation mode and on the device.

    Parameters
    ----------
    module : torch.nn.Module
        Maps (n_windows, n_channels, n_window_samples) to one logit per window or per sample.
    device : str
        Such as "cpu" or "cuda:0".
    batch_size : int
        Windows per forward pass.

    Attributes
    ----------
    name : str
        Class attribute; what the registry calls the detector.
    montages : tuple of {"unipolar", "bipolar"}
        Class attribute.
    window_s, step_s : float
        Class attributes: length of a window and distance of their starts, in seconds.
    eventizer : Eventizer
        Class attribute: threshold, opening, closing and minimum duration.
    """

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

    def detect(self, eeg: Array, sfreq: float, channels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """See `Adapter.detect`."""
        return self.postprocess(self.probabilities(eeg, sfreq, channels), eeg.shape[1], sfreq)

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
            near_threshold=self._near_threshold(seen.probabilities, n_samples, sfreq),
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
            return fingerprint(torch.__version__, settings, kept, network, source_of(type(self), *parts), state)
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

    def _near_threshold(self, probabilities: npt.NDArray[np.float32], n_samples: int, sfreq: float) -> int:
        by_sample = type(self).postprocess is TorchAdapter.postprocess
        values = self.timeline(probabilities, n_samples, sfreq) if by_sample else probabilities
        return int(np.count_nonzero(np.abs(values - self.eventizer.threshold) <= NEAR))

    def _require_own_steps(self) -> None:
        names = ("detect", "probabilities", "agreement")
        own = [name for name in names if getattr(type(self), name) is not getattr(TorchAdapter, name)]
        if own:
            raise ExaminationUnavailable(
                f"{self.name} overrides {' and '.join(own)}, which an attack would pass by; override preprocess, "
                "logits, timeline or postprocess instead, or examine() too"
            )
