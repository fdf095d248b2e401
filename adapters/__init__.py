"""How a detector is called: the contract, and what adapters are built from.

`pytest_robustseiz.adapters.torch_adapter` holds `TorchAdapter` and `pytest_robustseiz.adapters.torch_predictor`
`TorchPredictor`; they are modules of their own because they import torch.
"""

from pytest_robustseiz.adapters.agreement import Agreement, AgreementUnavailable, StochasticPasses, as_agreement
from pytest_robustseiz.adapters.command import CommandAdapter
from pytest_robustseiz.adapters.command_run import CommandError
from pytest_robustseiz.adapters.container import ContainerAdapter
from pytest_robustseiz.adapters.contract import Adapter, DetectorOutputError, Montage, TakesTensors, as_mask
from pytest_robustseiz.adapters.derive import derive_pairs
from pytest_robustseiz.adapters.eventize import Eventizer, find_runs
from pytest_robustseiz.adapters.examination import (
    AttackLike,
    Examination,
    ExaminationUnavailable,
    Examiner,
    Measuring,
)
from pytest_robustseiz.adapters.fingerprints import NotFingerprintable, fingerprint, source_of
from pytest_robustseiz.adapters.outcome import AttackOutcome
from pytest_robustseiz.adapters.prediction import PredictionAdapter, as_classes, count_seconds
from pytest_robustseiz.adapters.window_adapter import WindowAdapter
from pytest_robustseiz.adapters.windows import Windows, stitch

__all__ = [
    # the contract
    "Adapter",
    "Montage",
    "TakesTensors",
    "as_mask",
    "DetectorOutputError",
    # the contract of the prediction task
    "PredictionAdapter",
    "as_classes",
    "count_seconds",
    # stochastic passes
    "StochasticPasses",
    "Agreement",
    "as_agreement",
    "AgreementUnavailable",
    # attacks
    "Examiner",
    "Examination",
    "ExaminationUnavailable",
    "AttackLike",
    "AttackOutcome",
    # detectors reached by files
    "CommandAdapter",
    "ContainerAdapter",
    "CommandError",
    "Measuring",
    # detectors that map windows to probabilities in numpy
    "WindowAdapter",
    # parts of an adapter
    "Windows",
    "stitch",
    "Eventizer",
    "find_runs",
    "derive_pairs",
    # identity
    "fingerprint",
    "source_of",
    "NotFingerprintable",
]
