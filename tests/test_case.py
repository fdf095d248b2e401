"""What a case depends on, and what it does not."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from pytest_robustseiz.case import case_key, generator
from pytest_robustseiz.recording import Recording
from pytest_robustseiz.shifts import AWGN, ELECTRODES

RECORDING = Recording(
    "sub-01", "a", "sub-01/ses-01/eeg", np.zeros((19, 256), np.float32), 256.0, ELECTRODES, "unipolar", (), None, (), ()
)
OTHERS = {"subject": "sub-02", "stem": "b", "folder": "sub-01/ses-02/eeg"}


def first(seed: int, recording: Recording, snr_db: float) -> float:
    return float(generator(seed, recording, AWGN(snr_db=snr_db)).random())


def test_noise_is_that_of_seed_recording_and_setting() -> None:
    drawn = first(0, RECORDING, 5.0)
    assert first(0, RECORDING, 5.0) == drawn
    assert len({drawn, first(1, RECORDING, 5.0), first(0, RECORDING, 2.0)}) == 3


@pytest.mark.parametrize("field", OTHERS)
def test_another_recording_has_other_noise(field: str) -> None:
    other = dataclasses.replace(RECORDING, **{field: OTHERS[field]})  # type: ignore[arg-type]
    assert first(0, other, 5.0) != first(0, RECORDING, 5.0)


def test_a_key_covers_everything_that_can_change_the_result() -> None:
    usual: dict[str, Any] = {"adapter": "a", "seed": 0, "subject": "sub-01", "contents": [("eeg/a", "1")]}
    changes: list[tuple[str, object]] = [
        ("adapter", "b"), ("seed", 1), ("subject", "sub-02"), ("contents", [("eeg/a", "2")]), ("contents", [])
    ]  # fmt: skip
    plain = case_key(AWGN(snr_db=5.0), **usual)
    keys = [case_key(AWGN(snr_db=5.0), **{**usual, name: value}) for name, value in changes]
    assert len({plain, case_key(AWGN(snr_db=2.0), **usual), *keys}) == len(changes) + 2
    assert case_key(AWGN(snr_db=5.0), **usual) == plain
