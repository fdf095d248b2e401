"""What every setting of every shift keeps: one table drives all of it."""

import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch
from shift_table import PAIRS, SETTINGS, SFREQ, TABLE, Floats, changes_something, generator, recording

from pytest_robustseiz.shifts import (
    ADC,
    AWGN,
    CAR,
    Bandpass,
    Baseline,
    Drift,
    DropNamed,
    Impedance,
    Mains,
    NotApplicable,
    Notch,
    Shift,
    ShiftError,
    paper_grid,
    registered,
)

every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=[s.label for s in SETTINGS])


def own_classes() -> set[str]:
    own = {name: cls for name, cls in registered().items() if cls.__module__.startswith("pytest_robustseiz.shifts.")}
    return {name for name, cls in own.items() if cls.family != "adversarial"}


def test_every_registered_shift_is_in_the_table() -> None:
    assert own_classes() == set(TABLE)


def test_labels_are_unique_and_fit_a_test_id() -> None:
    labels = [setting.label for setting in dict.fromkeys((*SETTINGS, *paper_grid()))]
    assert len(set(labels)) == len(labels)
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", label) for label in labels)


def test_units_are_in_the_names_of_numbers() -> None:
    unitless = {"share", "quality", "epsilon", "alpha"}  # the last two are in the unit of the detector's windows
    for cls in registered().values():
        for field in dataclasses.fields(cls):
            if "float" in str(field.type) and field.name not in unitless:
                assert field.name.rsplit("_", 1)[-1] in {"hz", "uv", "db", "s", "ratio", "ratios"}, field.name


@pytest.mark.parametrize(
    "setting, label",
    [
        (Baseline(), "baseline"),
        (AWGN(snr_db=20.0), "awgn-snr_db_20"),
        (AWGN(snr_db=-2.5), "awgn-snr_db_-2.5"),
        (DropNamed(electrodes=("O1", "O2")), "drop_named-electrodes_O1_O2"),
        (Notch(freqs_hz=()), "notch-freqs_hz_none"),
        (Mains(freq_hz=50.0, amplitude_ratio=1e-7), "mains-freq_hz_50-amplitude_ratio_1e-07"),
        (ADC(bits=5, full_scale_uv=1e16), "adc-bits_5-full_scale_uv_1e16"),
    ],
)
def test_labels_read_well(setting: Shift, label: str) -> None:
    assert setting.label == label


def test_spec_is_sorted_json() -> None:
    expected = '{"params": {"high_hz": 40.0, "low_hz": 0.5, "order": 4}, "shift": "bandpass", "version": 1}'
    assert Bandpass(low_hz=0.5, high_hz=40).spec().replace('"causal": false, ', "") == expected


@every_setting
def test_spec_round_trip(setting: Shift) -> None:
    spec = json.loads(setting.spec())
    again = registered()[spec["shift"]](**spec["params"])
    assert again == setting
    assert hash(again) == hash(setting)
    assert again.spec() == setting.spec()


@pytest.mark.parametrize("number", [20, 20.0, np.float64(20), np.float32(20), np.int64(20)])
def test_kinds_of_numbers_are_one_setting(number: float) -> None:
    assert AWGN(snr_db=number).spec() == AWGN(snr_db=20.0).spec()
    assert AWGN(snr_db=number).label == "awgn-snr_db_20"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_setting
def test_shape_dtype_finite_and_input_untouched(setting: Shift, dtype: type[np.floating[Any]]) -> None:
    eeg = recording(dtype=dtype)
    before = eeg.copy()
    shifted = setting.apply(eeg, SFREQ, generator())
    assert shifted.shape == eeg.shape
    assert shifted.dtype == eeg.dtype
    assert np.isfinite(shifted).all()
    assert not np.shares_memory(shifted, eeg)
    assert np.array_equal(eeg, before)


@every_setting
def test_identity_where_stated_and_nowhere_else(setting: Shift) -> None:
    eeg = recording()
    assert np.array_equal(setting.apply(eeg, SFREQ, generator()), eeg) is not changes_something(setting)


@every_setting
def test_same_seed_same_bits(setting: Shift) -> None:
    eeg = recording()
    first = setting.apply(eeg, SFREQ, generator(3))
    AWGN(snr_db=0.0).apply(eeg, SFREQ, generator(9))
    assert np.array_equal(first, setting.apply(eeg.copy(), SFREQ, generator(3)))


@every_setting
def test_other_seed_other_bits_where_random(setting: Shift) -> None:
    eeg = recording()
    random = TABLE[setting.name].random or getattr(setting, "mains_hz", None) is not None
    first, second = (setting.apply(eeg, SFREQ, generator(seed)) for seed in (1, 2))
    assert np.array_equal(first, second) is not (random and changes_something(setting))


@every_setting
def test_global_random_state_is_not_used(setting: Shift) -> None:
    eeg = recording(300)
    state = str(np.random.get_state())  # noqa: NPY002 - what must stay as it is
    setting.apply(eeg, SFREQ, generator())
    assert str(np.random.get_state()) == state  # noqa: NPY002


def from_torch(eeg: Floats) -> Any:
    return torch.from_numpy(eeg.copy())


def from_strict(eeg: Floats) -> Any:
    return array_api_strict.asarray(eeg.copy())


@pytest.mark.parametrize("convert", [from_torch, from_strict])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_setting
def test_array_libraries_agree(setting: Shift, dtype: type[np.floating[Any]], convert: Callable[[Floats], Any]) -> None:
    eeg = recording(dtype=dtype)
    expected = setting.apply(eeg, SFREQ, generator())
    given_eeg = convert(eeg)
    shifted = setting.apply(given_eeg, SFREQ, generator())
    assert type(shifted) is type(given_eeg)
    assert shifted.dtype == given_eeg.dtype
    assert np.array_equal(np.asarray(given_eeg), eeg)
    assert np.abs(np.asarray(shifted) - expected).max() <= 1e-5 * np.abs(expected).max()
    figures = setting.measure(given_eeg, shifted, SFREQ)
    assert figures == pytest.approx(setting.measure(eeg, expected, SFREQ), rel=1e-3, abs=1e-3)


@every_setting
def test_figures_are_finite_json(setting: Shift) -> None:
    for eeg in (recording(), np.zeros((19, 500), np.float32), np.full((19, 500), 3.0, np.float32)):
        figures = setting.measure(eeg, setting.apply(eeg, SFREQ, generator()), SFREQ)
        assert json.loads(json.dumps(figures, allow_nan=False)) == figures
        assert all(type(value) is float for value in figures.values())


@every_setting
def test_memory_layout_does_not_matter(setting: Shift) -> None:
    eeg = recording()
    wide = np.asfortranarray(np.repeat(eeg, 2, axis=1))[:, ::2]
    shifted = setting.apply(wide, SFREQ, generator())
    assert np.allclose(shifted, setting.apply(eeg, SFREQ, generator()), rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("n_samples", [2, 3, 257, 2559])
@every_setting
def test_short_and_odd_lengths(setting: Shift, n_samples: int) -> None:
    eeg = recording(n_samples)
    shifted = setting.apply(eeg, SFREQ, generator())
    assert shifted.shape == eeg.shape
    assert np.abs(shifted).max() < 50_000


@every_setting
def test_one_channel(setting: Shift) -> None:
    eeg = recording()[:1]
    if getattr(setting, "n_channels", 0) not in (None, 0, 1):
        with pytest.raises(ShiftError, match=r"^n_channels: \d of 1 channels cannot"):
            setting.apply(eeg, SFREQ, generator(), channels=("Fp1",))
    elif getattr(setting, "electrodes", None) not in (None, (), ("Fp1",)):
        with pytest.raises(ValueError, match=r"^electrodes: no channel uses '\w+'; the recording has Fp1$"):
            setting.apply(eeg, SFREQ, generator(), channels=("Fp1",))
    else:
        assert setting.apply(eeg, SFREQ, generator(), channels=("Fp1",)).shape == eeg.shape


@every_setting
def test_silence_stays_silence_unless_the_level_is_in_microvolts(setting: Shift) -> None:
    eeg = np.zeros((19, 1000), np.float32)
    drawn = isinstance(setting, Drift) and setting.n_channels is not None  # among channels that carry signal
    absolute = isinstance(setting, Impedance | Drift) and "ratio" not in setting.label and not drawn
    silent = not np.any(setting.apply(eeg, SFREQ, generator()))
    assert silent is not (absolute and changes_something(setting))


@every_setting
def test_bipolar_recordings(setting: Shift) -> None:
    eeg = recording()[:18]
    if isinstance(setting, CAR):
        with pytest.raises(NotApplicable, match="car: the pairs of a bipolar montage have no common reference"):
            setting.apply(eeg, SFREQ, generator(), channels=PAIRS)
    else:
        assert setting.apply(eeg, SFREQ, generator(), channels=PAIRS).shape == eeg.shape


BAD = [(name, kwargs, match) for name, target in TABLE.items() for kwargs, match in target.bad]


@pytest.mark.parametrize("name, kwargs, match", BAD)
def test_bad_parameters_raise_by_name(name: str, kwargs: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        registered()[name](**kwargs)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@every_setting
def test_input_that_is_not_finite_names_channel_and_sample(setting: Shift, bad: float) -> None:
    eeg = recording(300).copy()
    eeg[7, 123] = bad
    with pytest.raises(ShiftError, match=r"the input of \S+ is not finite at channel T5, sample 123$"):
        setting.apply(eeg, SFREQ, generator())


def test_infinities_that_cancel_are_found() -> None:
    eeg = recording(300).copy()
    eeg[2, 10], eeg[2, 11] = np.inf, -np.inf
    with pytest.raises(ShiftError, match=r"channel C3, sample 10$"):
        Baseline().apply(eeg, SFREQ, generator())


def test_large_sums_are_not_taken_for_infinities() -> None:
    eeg = np.full((1, 100), 3e38, np.float32)
    assert np.array_equal(Baseline().apply(eeg, SFREQ, generator(), channels=("Cz",)), eeg)


def test_output_that_is_not_finite_is_refused() -> None:
    eeg = generator().normal(0, 1e25, (1, 100)).astype(np.float32)
    with pytest.raises(ShiftError, match=r"the output of awgn-snr_db_0 is not finite at channel Cz"):
        AWGN(snr_db=0.0).apply(eeg, SFREQ, generator(), channels=("Cz",))


WRONG_INPUTS: list[tuple[Any, str]] = [
    (np.zeros((19, 100), np.int16), r"got int16 of shape \(19, 100\)"),
    (np.zeros((19, 100), np.float16), r"got float16 of shape \(19, 100\)"),
    (np.zeros(100, np.float32), r"at least \(1, 2\), got float32 of shape \(100,\)"),
    (np.zeros((19, 1), np.float32), r"at least \(1, 2\), got float32 of shape \(19, 1\)"),
    (np.zeros((0, 100), np.float32), r"at least \(1, 2\), got float32 of shape \(0, 100\)"),
]


@pytest.mark.parametrize("eeg, match", WRONG_INPUTS)
def test_wrong_input_is_refused(eeg: Floats, match: str) -> None:
    with pytest.raises(ShiftError, match=match):
        Baseline().apply(eeg, SFREQ, generator())


@pytest.mark.parametrize("sfreq", [0.0, -1.0, float("nan"), float("inf")])
def test_wrong_sampling_rate_is_refused(sfreq: float) -> None:
    with pytest.raises(ShiftError, match="sfreq: expected a sampling rate in Hz above 0, got"):
        Baseline().apply(recording(), sfreq, generator())


def test_a_shift_that_breaks_its_promise_is_refused() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Shortens(Baseline):
        def perturb(self, eeg: Any, sfreq: float, rng: np.random.Generator, channels: Any) -> Any:
            return eeg[:, 1:]

    with pytest.raises(ShiftError, match=r"baseline returned float32, \(19, 1999\)"):
        Shortens().apply(recording(), SFREQ, generator())


def test_one_name_belongs_to_one_class() -> None:
    from pytest_robustseiz.shifts import register

    known = registered()
    with pytest.raises(ValueError, match=r"two shifts are called 'awgn': pytest_robustseiz.shifts.awgn and "):
        register(AWGN)
    assert registered() == known
