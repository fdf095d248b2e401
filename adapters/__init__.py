"""How a detector is called: the contract, and what adapters are built from.

`pytest_robustseiz.adapters.torch_adapter` holds `TorchAdapter`; it is a module of its own because it imports torch.
"""

from pytest_robustseiz.adapters.agreement import Agreement, AgreementUnavailable, StochasticPasses, as_agreement
from pytest_robustseiz.adapters.contract import Adapter, DetectorOutputError, Montage, as_mask
from pytest_robustseiz.adapters.derive import derive_pairs
from pytest_robustseiz.adapters.eventize import Eventizer, find_runs
from pytest_robustseiz.adapters.examination import AttackLike, Examination, ExaminationUnavailable, Examiner
from pytest_robustseiz.adapters.fingerprints import NotFingerprintable, fingerprint, source_of
from pytest_robustseiz.adapters.outcome import AttackOutcome
from pytest_robustseiz.adapters.windows import Windows, stitch

__all__ = [
    # the contract
    "Adapter",
    "Montage",
    "as_mask",
    "DetectorOutputError",
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
