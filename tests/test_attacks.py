"""Attacks as shifts: their parameters, their arithmetic, what they promise."""

import dataclasses
import json
import re
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_robustseiz.shifts import (
    FGSM,
    PAPER,
    PGD,
    Attack,
    PGDMicrovolts,
    RandomSign,
    Shift,
    ShiftError,
    paper_grid,
    registered,
)

MODES: tuple[Any, ...] = ("increase", "decrease", "flip")
SETTINGS: tuple[Attack, ...] = (
    *(setting for setting in paper_grid() if isinstance(setting, Attack)),
    PGD(epsilon=0.3, mode="flip", steps=7, alpha="auto", random_start=True),
    PGD(epsilon=0.3, mode="increase", alpha=1.0),
    PGDMicrovolts(epsilon_uv=5.0, mode="flip"),
    PGDMicrovolts(epsilon_uv=5.0, mode="decrease", steps=3, alpha_uv=0.5),
    RandomSign(epsilon=0.1),
    FGSM(epsilon=0.0, mode="flip"),
)
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=[s.label for s in SETTINGS])


def windows(dtype: type[np.floating[Any]] = np.float32) -> Any:
    values = np.random.default_rng(5).normal(0, 1, (4, 3, 50)).astype(dtype)
    values.flags.writeable = False
    return values


def slope(values: Any) -> Any:
    """Gradient of the sum of squares."""
    return 2 * values


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_default_grid_has_36_attacks_in_order_of_epsilon() -> None:
    for name, attack in (("fgsm", FGSM), ("pgd", PGD)):
        expected = [
            attack(epsilon=epsilon, mode=mode) for epsilon in (0.01, 0.05, 0.1, 0.5, 0.8, 1.0) for mode in MODES
        ]
        assert list(PAPER[name]) == expected
    assert len(paper_grid()) == 116
    assert {setting.name for setting in paper_grid()}.isdisjoint({"pgd_uv", "random_sign"})


def test_every_registered_attack_is_tested_here() -> None:
    own = [cls for cls in registered().values() if cls.__module__.startswith("pytest_robustseiz.shifts.")]
    assert {cls.name for cls in own if issubclass(cls, Attack)} == {setting.name for setting in SETTINGS}
    assert all(issubclass(cls, Attack) == (cls.family == "adversarial") for cls in own)


@every_setting
def test_labels_and_specs(setting: Attack) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", setting.label)
    spec = json.loads(setting.spec())
    again = registered()[spec["shift"]](**spec["params"])
    assert again == setting
    assert again.spec() == setting.spec()


@pytest.mark.parametrize(
    "setting, label",
    [
        (FGSM(epsilon=0.5, mode="flip"), "fgsm-epsilon_0.5-mode_flip"),
        (PGD(epsilon=1, mode="increase"), "pgd-epsilon_1-mode_increase"),
        (
            PGD(epsilon=1, mode="flip", steps=20, alpha="auto", random_start=True),
            "pgd-epsilon_1-mode_flip-steps_20-alpha_auto-random_start_True",
        ),
        (PGDMicrovolts(epsilon_uv=2.5, mode="decrease"), "pgd_uv-epsilon_uv_2.5-mode_decrease"),
        (RandomSign(epsilon=0.1), "random_sign-epsilon_0.1"),
    ],
)
def test_labels_read_well(setting: Shift, label: str) -> None:
    assert setting.label == label


@pytest.mark.parametrize(
    "attack, fields, message",
    [
        (FGSM, {"epsilon": -0.1, "mode": "flip"}, "epsilon: expected 0 or more, got -0.1"),
        (FGSM, {"epsilon": float("nan"), "mode": "flip"}, "epsilon: expected a finite number, got nan"),
        (FGSM, {"epsilon": 0.1, "mode": "up"}, "mode: expected one of 'increase', 'decrease', 'flip', got 'up'"),
        (PGD, {"epsilon": 0.1, "mode": "flip", "steps": 0}, "steps: expected 1 to 1000, got 0"),
        (PGD, {"epsilon": 0.1, "mode": "flip", "alpha": 0.0}, "alpha: expected above 0, or 'auto', got 0.0"),
        (PGD, {"epsilon": 0.1, "mode": "flip", "alpha": "fast"}, "alpha: expected a finite number, got 'fast'"),
        (PGD, {"epsilon": 0.1, "mode": "flip", "random_start": 1}, "random_start: expected true or false, got 1"),
        (PGDMicrovolts, {"epsilon_uv": -1, "mode": "flip"}, "epsilon_uv: expected 0 or more, got -1.0"),
        (PGDMicrovolts, {"epsilon_uv": 1, "mode": "flip", "alpha_uv": -1}, "alpha_uv: expected above 0, or 'auto'"),
        (RandomSign, {"epsilon": -1}, "epsilon: expected 0 or more, got -1.0"),
    ],
)
def test_bad_parameters_raise_by_name(attack: type[Shift], fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        attack(**fields)


@every_setting
def test_an_attack_without_a_detector_is_refused_and_never_the_identity(setting: Attack) -> None:
    eeg = generator().normal(0, 30, (19, 500)).astype(np.float32)
    with pytest.raises(ShiftError, match=rf"^{re.escape(setting.label)} needs a detector"):
        setting.apply(eeg, 256.0, generator())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_setting
def test_shape_type_bound_and_input_untouched(setting: Attack, dtype: type[np.floating[Any]]) -> None:
    clean = windows(dtype)
    before = clean.copy()
    attacked = setting.attack(clean, slope, generator())
    assert attacked.shape == clean.shape
    assert attacked.dtype == clean.dtype
    assert np.abs(attacked - clean).max() <= setting.bound + 1e-6  # rounding of the sum
    assert np.array_equal(clean, before)
    assert not np.shares_memory(attacked, clean)
    assert np.array_equal(attacked, clean) is (setting.bound == 0)


@pytest.mark.parametrize("convert", [torch.from_numpy, array_api_strict.asarray])
@every_setting
def test_array_libraries_agree(setting: Attack, convert: Callable[[Any], Any]) -> None:
    expected = setting.attack(windows(), slope, generator())
    attacked = setting.attack(convert(windows().copy()), slope, generator())
    assert type(attacked) is type(convert(windows().copy()))
    assert np.array_equal(np.asarray(attacked), expected)


@pytest.mark.parametrize(
    "setting, reach",
    [
        (FGSM(epsilon=0.8, mode="increase"), 0.8),
        (PGD(epsilon=0.05, mode="increase"), 0.05),
        (PGD(epsilon=0.1, mode="increase"), 0.1),
        (PGD(epsilon=0.8, mode="increase"), 0.1),  # ten steps of 0.01
        (PGD(epsilon=0.8, mode="increase", alpha="auto"), 0.8),
        (PGD(epsilon=0.8, mode="increase", alpha="auto", steps=1), 0.8),
        (PGDMicrovolts(epsilon_uv=20.0, mode="increase"), 20.0),
    ],
)
def test_reach_along_a_constant_gradient(setting: Attack, reach: float) -> None:
    signs = np.where(generator(1).random((4, 3, 50)) < 0.5, -1.0, 1.0)
    attacked = setting.attack(windows(np.float64), lambda _: signs * 1e-12, generator())
    np.testing.assert_allclose(attacked - windows(np.float64), reach * signs, rtol=1e-9)


@pytest.mark.parametrize(
    "setting, step",
    [
        (PGD(epsilon=0.8, mode="flip"), 0.01),
        (PGD(epsilon=0.8, mode="flip", alpha="auto"), 2.5 * 0.8 / 10),
        (PGD(epsilon=0.8, mode="flip", alpha="auto", steps=5), 2.5 * 0.8 / 5),
        (PGDMicrovolts(epsilon_uv=4.0, mode="flip"), 1.0),
        (PGDMicrovolts(epsilon_uv=4.0, mode="flip", alpha_uv=0.25), 0.25),
    ],
)
def test_size_and_number_of_steps(setting: Any, step: float) -> None:
    points: list[Any] = []

    def gradient(values: Any) -> Any:
        points.append(values)
        return np.ones_like(values)

    setting.attack(np.zeros((1, 3, 5)), gradient, generator())
    assert len(points) == setting.steps
    np.testing.assert_allclose(points[1] - points[0], step)


def test_where_the_gradient_is_zero_nothing_moves() -> None:
    attacked = FGSM(epsilon=1.0, mode="flip").attack(windows(), lambda values: 0 * values, generator())
    assert np.array_equal(attacked, windows())


def test_a_random_start_lies_in_the_ball_and_follows_the_generator() -> None:
    setting = PGD(epsilon=0.5, mode="flip", alpha=1e-9, steps=1, random_start=True)
    first = setting.attack(windows(), slope, generator(1)) - windows()
    assert np.array_equal(first, setting.attack(windows(), slope, generator(1)) - windows())
    assert not np.array_equal(first, setting.attack(windows(), slope, generator(2)) - windows())
    assert 0.45 < np.abs(first).max() <= 0.5 + 1e-6
    assert abs(first.mean()) < 0.05


@pytest.mark.parametrize("setting", [PGD(epsilon=0.5, mode="flip", random_start=True), RandomSign(epsilon=0.5)])
def test_random_numbers_do_not_depend_on_how_windows_are_grouped(setting: Attack) -> None:
    whole, rng = setting.attack(windows(), slope, generator()), generator()
    parts = [setting.attack(windows()[i : i + 1], slope, rng) for i in range(4)]
    assert np.array_equal(np.concatenate(parts), whole)


def test_the_control_moves_every_value_and_asks_for_no_gradient() -> None:
    def refuse(values: Any) -> Any:
        raise AssertionError

    change = RandomSign(epsilon=0.25).attack(np.zeros((40, 3, 50)), refuse, generator())
    assert np.array_equal(np.abs(change), np.full((40, 3, 50), 0.25))
    assert abs(np.sign(change).mean()) < 0.05


@pytest.mark.parametrize("mode, expected", [("increase", [1, 1]), ("decrease", [-1, -1]), ("flip", [-1, 1])])
def test_direction(mode: Any, expected: list[int]) -> None:
    seizure = np.array([True, False])
    assert FGSM(epsilon=1, mode=mode).direction(seizure).tolist() == expected
    assert FGSM(epsilon=1, mode=mode).direction(torch.from_numpy(seizure)).tolist() == expected
    assert RandomSign(epsilon=1).direction(seizure).tolist() == [-1, 1]


@pytest.mark.parametrize(
    "broken, message",
    [
        (lambda clean: clean[:1], r"broken returned float32, \(1, 3, 50\)"),
        (lambda clean: clean.astype(np.float64), r"broken returned float64, \(4, 3, 50\)"),
        (lambda clean: clean + np.float32(0.2), "broken changed a value by 0.2; expected at most 0.1"),
        (lambda clean: clean * np.nan, "broken changed a value by nan; expected at most 0.1"),
    ],
)
def test_an_attack_that_breaks_its_promise_is_refused(broken: Callable[[Any], Any], message: str) -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Broken(RandomSign):
        name: ClassVar[str] = "broken"
        epsilon: float = 0.1

        def search(self, clean: Any, gradient: Any, rng: Any) -> Any:
            return broken(clean)

    with pytest.raises(ShiftError, match=message):
        Broken().attack(windows(), slope, generator())


@settings(max_examples=50, deadline=None)
@given(
    epsilon=st.floats(0, 10),
    steps=st.integers(1, 12),
    alpha=st.one_of(st.just("auto"), st.floats(1e-6, 5)),
    seed=st.integers(0, 2**32),
    random_start=st.booleans(),
)
def test_no_gradient_leads_out_of_the_ball(
    epsilon: float, steps: int, alpha: Any, seed: int, random_start: bool
) -> None:
    rng = np.random.default_rng(seed)
    clean = (rng.normal(0, 1, (2, 3, 7)) * 10.0 ** rng.integers(-3, 4)).astype(np.float32)
    attack = PGD(epsilon=epsilon, mode="flip", steps=steps, alpha=alpha, random_start=random_start)
    attacked = attack.attack(clean, lambda values: rng.normal(0, 1, values.shape).astype(np.float32), rng)
    rounding = np.abs(clean).max() * 2**-23
    assert np.abs(attacked.astype(np.float64) - clean).max() <= epsilon * (1 + 1e-6) + rounding


def plain_classifier() -> torch.nn.Module:
    torch.manual_seed(3)
    return torch.nn.Sequential(
        torch.nn.Conv1d(3, 6, 5), torch.nn.Tanh(), torch.nn.Flatten(), torch.nn.Linear(6 * 46, 2)
    ).eval()


@pytest.mark.parametrize("mode", ["increase", "decrease"])
@pytest.mark.parametrize("attack", ["fgsm", "pgd"])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5])
def test_against_foolbox_on_a_plain_classifier(mode: Any, attack: str, epsilon: float) -> None:
    """Its loss is the cross entropy of the true class: away from background raises the log-odds of seizure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scipy, at what foolbox imports
        foolbox = pytest.importorskip("foolbox")
    net = plain_classifier()
    clean = torch.from_numpy(windows().copy())
    label = torch.full((4,), 0 if mode == "increase" else 1)
    fmodel = foolbox.PyTorchModel(net, bounds=(-100, 100), device="cpu")
    theirs = (
        foolbox.attacks.LinfFastGradientAttack(random_start=False)
        if attack == "fgsm"
        else foolbox.attacks.LinfProjectedGradientDescentAttack(abs_stepsize=0.01, steps=10, random_start=False)
    ).run(fmodel, clean, label, epsilon=epsilon)

    def gradient(values: torch.Tensor) -> torch.Tensor:
        leaf = values.detach().requires_grad_()
        log_odds = net(leaf) @ torch.tensor([-1.0, 1.0])
        return torch.autograd.grad(log_odds.sum() * (1 if mode == "increase" else -1), leaf)[0]

    setting = FGSM(epsilon=epsilon, mode=mode) if attack == "fgsm" else PGD(epsilon=epsilon, mode=mode)
    ours = setting.attack(clean, gradient, generator())
    torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-6)
