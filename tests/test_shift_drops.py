"""Dropped electrodes are zero, all others as they were."""

import numpy as np
import pytest
import torch
from shift_table import PAIRS, SFREQ, generator, recording

from pytest_robustseiz.shifts import ELECTRODES, DropNamed, DropRandom, ShiftError

DOUBLE_BANANA = [
    "Fp1-F3", "F3-C3", "C3-P3", "P3-O1", "Fp1-F7", "F7-T3", "T3-T5", "T5-O1", "Fz-Cz", "Cz-Pz",
    "Fp2-F4", "F4-C4", "C4-P4", "P4-O2", "Fp2-F8", "F8-T4", "T4-T6", "T6-O2",
]  # fmt: skip


@pytest.mark.parametrize(
    "electrodes, dropped",
    [
        (("O1", "O2"), {"O1", "O2"}),
        (("T7", "T8"), {"T3", "T4"}),
        (("P7", "P8", "T4"), {"T5", "T6", "T4"}),
        ((), set()),
    ],
)
def test_named_electrodes(electrodes: tuple[str, ...], dropped: set[str]) -> None:
    eeg = recording() + 1
    shifted = DropNamed(electrodes=electrodes).apply(eeg, SFREQ, generator())
    for i, name in enumerate(ELECTRODES):
        assert np.array_equal(shifted[i], eeg[i] * (name not in dropped))
    assert DropNamed(electrodes=electrodes).measure(eeg, shifted, SFREQ) == {"dropped_channels": len(dropped)}


def test_recordings_that_use_the_newer_names() -> None:
    eeg = generator().normal(0, 30, (3, 100))
    shifted = DropNamed(electrodes=("T3", "T8")).apply(eeg, SFREQ, generator(), channels=("T7", "Cz", "T8"))
    assert [bool(row.any()) for row in shifted] == [False, True, False]


def test_every_pair_that_uses_a_named_electrode() -> None:
    eeg = generator().normal(0, 30, (18, 100))
    shifted = DropNamed(electrodes=("T7", "T8")).apply(eeg, SFREQ, generator(), channels=DOUBLE_BANANA)
    lost = {DOUBLE_BANANA[i] for i in range(18) if not shifted[i].any()}
    assert lost == {"F7-T3", "T3-T5", "F8-T4", "T4-T6"}
    kept = [i for i in range(18) if shifted[i].any()]
    assert np.array_equal(shifted[kept], eeg[kept])


def test_an_electrode_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"^electrodes: no channel uses 'A1'; the recording has Fp1, F3, "):
        DropNamed(electrodes=("O1", "A1")).apply(recording(), SFREQ, generator())


def test_one_name_per_row_is_needed() -> None:
    with pytest.raises(ShiftError, match=r"^channels: expected 18 names, one per row, got 19$"):
        DropNamed(electrodes=("O1",)).apply(recording()[:18], SFREQ, generator())


@pytest.mark.parametrize("n_channels", [0, 1, 2, 4, 8, 19])
def test_random_channels(n_channels: int) -> None:
    eeg = generator().normal(0, 30, (19, 100))
    shifted = DropRandom(n_channels=n_channels).apply(eeg, SFREQ, generator(1))
    zero = [i for i in range(19) if not shifted[i].any()]
    kept = [i for i in range(19) if i not in zero]
    assert len(zero) == n_channels
    assert np.array_equal(shifted[kept], eeg[kept])
    assert DropRandom(n_channels=n_channels).measure(eeg, shifted, SFREQ) == {"dropped_channels": n_channels}


def test_random_channels_are_drawn_evenly() -> None:
    eeg = generator().normal(0, 30, (18, 2))
    setting = DropRandom(n_channels=4)
    zero = [setting.apply(eeg, SFREQ, generator(seed), channels=PAIRS)[:, 0] == 0 for seed in range(900)]
    hits = np.sum(zero, axis=0)
    assert hits.sum() == 3600
    assert np.abs(hits - 200).max() < 4 * np.sqrt(900 * 4 / 18 * 14 / 18)


@pytest.mark.parametrize("n_channels", [1, 4, 8, 14])
@pytest.mark.parametrize("level", [0.0, 812.5])
def test_flat_channels_are_not_drawn(n_channels: int, level: float) -> None:
    eeg = generator().normal(0, 30, (19, 100)).astype(np.float32)
    eeg[:5] = level
    for seed in range(30):
        shifted = DropRandom(n_channels=n_channels).apply(eeg, SFREQ, generator(seed))
        assert np.array_equal(shifted[:5], eeg[:5])
        assert DropRandom(n_channels=n_channels).measure(eeg, shifted, SFREQ) == {"dropped_channels": n_channels}


@pytest.mark.parametrize("n_live", [0, 1, 3])
def test_all_live_channels_where_there_are_fewer(n_live: int) -> None:
    eeg = np.zeros((19, 100))
    eeg[:n_live] = generator().normal(0, 30, (n_live, 100))
    shifted = DropRandom(n_channels=4).apply(eeg, SFREQ, generator())
    assert not shifted.any()
    assert DropRandom(n_channels=4).measure(eeg, shifted, SFREQ) == {"dropped_channels": n_live}


def test_torch_drops_the_channels_that_numpy_drops() -> None:
    eeg = generator().normal(0, 30, (19, 100)).astype(np.float32)
    eeg[[2, 7]] = 3.0
    for seed in range(10):
        shifted = DropRandom(n_channels=8).apply(eeg, SFREQ, generator(seed))
        as_tensor = DropRandom(n_channels=8).apply(torch.from_numpy(eeg), SFREQ, generator(seed))
        assert np.array_equal(as_tensor.numpy(), shifted)


def test_more_channels_than_there_are() -> None:
    with pytest.raises(ShiftError, match=r"^n_channels: 8 of 2 channels cannot be dropped"):
        DropRandom(n_channels=8).apply(np.zeros((2, 100)), SFREQ, generator(), channels=("C3", "C4"))
