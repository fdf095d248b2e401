"""Shifts where the model runs: on tensors of its device, with the numbers of the CPU."""

import importlib
import json
import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
import torch
from elsewhere import DEVICE, Elsewhere, PretendDevice, move_there
from nets import CHANNELS, SFREQ, Overlapping, Small, convolutional, eeg
from shift_table import SETTINGS, generator, recording
from shift_table import SFREQ as RECORDED_HZ
from tiny import make_corpus
from torch import Tensor

from pytest_robustseiz.adapters import StochasticPasses
from pytest_robustseiz.adapters.contract import TakesTensors
from pytest_robustseiz.change import measure_change
from pytest_robustseiz.demo_detector import demo_adapter
from pytest_robustseiz.shifts import ADC, ELECTRODES, Baseline, Shift, ShiftError
from pytest_robustseiz.shifts.power import power
from pytest_robustseiz.visit import beside_model

# The same class under the same fingerprint, whatever it asks for.
CONFTEST = """
import os
import pytest
from elsewhere import PretendDevice, move_there
from pytest_robustseiz.demo_detector import DemoDetector, demo_adapter

class Logged(DemoDetector):
    @property
    def eeg_device(self):
        return {"numpy": None, "flagged": "cpu", "elsewhere": self.device}[os.environ["EEG_ON"]]

    def examine(self, eeg, sfreq, channels, **stages):
        with open("seen.log", "a") as log:
            log.write(f"{type(eeg).__name__}\\n")
        return super().examine(eeg, sfreq, channels, **stages)

@pytest.fixture(scope="session")
def robustseiz_adapter():
    detector = Logged(demo_adapter().module)
    if os.environ["EEG_ON"] != "elsewhere":
        yield detector
        return
    with PretendDevice():
        yield move_there(detector)
"""
CASES = """
def test_case(robustseiz_case):
    with open("cases.jsonl", "a") as file:
        file.write(robustseiz_case.result.to_json() + "\\n")
"""


VISITS = 13 + 15  # of the shifts, two of the 15 being attacks, and of the detector


class Flagged(Overlapping):
    """Asks for tensors on the CPU."""

    eeg_device: ClassVar[Any] = "cpu"


class OwnDetect(Small):
    def detect(self, eeg: Any, sfreq: float, channels: Any) -> npt.NDArray[np.bool_]:
        return super().detect(np.abs(eeg), sfreq, channels)


class OnlyNumpy:
    name = "only numpy"
    montages = ("unipolar",)
    device = "cuda:0"  # where it computes is its own affair


@pytest.fixture(scope="module")
def short_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic: one subject of two minutes."""
    return make_corpus(tmp_path_factory.mktemp("short"), {"sub-01": [(40.0, 70.0)]}, duration_s=120)


def close(found: Any, expected: Any, *, relative: float = 1e-5) -> bool:
    """Equal, but for numbers, which may differ by 1e-5 of their size or by 1e-4 (of a microvolt, mostly).

    How many samples changed depends on those that change by a rounding or by nothing; it may differ by 1e-3.
    """
    if isinstance(expected, dict):
        limits = {key: 1e-3 if key == "changed" else relative for key in expected}
        return list(found) == list(expected) and all(
            close(found[key], expected[key], relative=limits[key]) for key in expected
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(close, found, expected))
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        return math.isclose(found, expected, rel_tol=relative, abs_tol=1e-4)
    return bool(found == expected)


@pytest.mark.parametrize("setting", SETTINGS, ids=[setting.label for setting in SETTINGS])
def test_a_shift_stays_on_the_device_and_does_the_same_there(setting: Shift) -> None:
    signal = recording()
    expected = setting.apply(signal, RECORDED_HZ, generator())
    rng, own_rng = generator(), generator()
    setting.apply(signal, RECORDED_HZ, own_rng)
    with PretendDevice():
        tensor = torch.tensor(signal, device=DEVICE)
        shifted = setting.apply(tensor, RECORDED_HZ, rng)
        assert type(shifted) is Elsewhere
        figures, change = setting.measure(tensor, shifted, RECORDED_HZ), measure_change(tensor, shifted, 1.0)
        found, untouched = shifted.cpu().numpy(), tensor.cpu().numpy()
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()
    assert close(figures, setting.measure(signal, expected, RECORDED_HZ))
    assert close(vars(change), vars(measure_change(signal, expected, 1.0)))
    assert rng.bit_generator.state == own_rng.bit_generator.state
    assert np.array_equal(untouched, signal)


def test_samples_midway_between_levels_fall_the_same_way() -> None:
    """A division that is rounded another way would move a third of them by a step."""
    adc = ADC(bits=10, full_scale_uv=95.0)
    midway = ((np.arange(-500, 500) + 0.5) * 190 / 2**10).astype(np.float32)[None, :]
    with PretendDevice():
        found = adc.apply(torch.tensor(midway, device=DEVICE), RECORDED_HZ, generator()).cpu().numpy()
    assert np.array_equal(found, adc.apply(midway, RECORDED_HZ, generator()))


def run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, corpus: Path, eeg_on: str, *options: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Results of the smoke grid, and what kind of array each shift and then the detector saw."""
    monkeypatch.setenv("EEG_ON", eeg_on)
    apply = Shift.apply

    def logged(setting: Shift, eeg: Any, *args: Any, **kwargs: Any) -> Any:
        with pytester.path.joinpath("seen.log").open("a") as log:
            log.write(f"{type(eeg).__name__}\n")
        return apply(setting, eeg, *args, **kwargs)

    for name in ("cases.jsonl", "seen.log"):
        pytester.path.joinpath(name).write_text("")
    data = ["--robustseiz-mode=subset", f"--robustseiz-data={corpus}", "--robustseiz-grid=smoke"]
    with monkeypatch.context() as patch:
        patch.setattr(Shift, "apply", logged)
        pytester.runpytest_inprocess(*data, *options).assert_outcomes(passed=15)
    lines = pytester.path.joinpath("cases.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines], pytester.path.joinpath("seen.log").read_text().splitlines()


def test_every_path_gives_the_same_results(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, short_corpus: Path
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(CASES)
    plain, seen = run(pytester, monkeypatch, short_corpus, "numpy", "--robustseiz-store=numpy")
    assert seen == ["ndarray"] * VISITS
    assert any(case["recordings"][0]["hypothesis"] for case in plain)
    assert all(case["recordings"][0]["agreement"] for case in plain)
    tensors, seen = run(pytester, monkeypatch, short_corpus, "flagged", "--robustseiz-store=flagged")
    assert seen == ["Tensor"] * VISITS
    assert close(tensors, plain)
    # The path is no part of the key, so there is nothing to compute.
    again, seen = run(pytester, monkeypatch, short_corpus, "flagged", "--robustseiz-store=numpy")
    assert (again, seen) == (plain, [])


def test_a_case_stays_on_the_device(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, short_corpus: Path
) -> None:
    """All but dropout, whose generator on a GPU has other numbers."""
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(CASES)
    options = ("--robustseiz-mcd=off", "-p", "no:cacheprovider")
    plain, _ = run(pytester, monkeypatch, short_corpus, "numpy", "--robustseiz-store=numpy", *options)
    there, seen = run(pytester, monkeypatch, short_corpus, "elsewhere", "--robustseiz-store=elsewhere", *options)
    assert seen == ["Elsewhere"] * VISITS
    assert close(there, plain)


def test_only_those_who_ask_get_tensors() -> None:
    signal = eeg()
    signal.flags.writeable = False
    on_gpu, own_detect = Small(convolutional()), OwnDetect(convolutional())
    on_gpu.device = own_detect.device = DEVICE
    assert on_gpu.eeg_device == DEVICE
    assert isinstance(on_gpu, TakesTensors)
    for adapter in (OnlyNumpy(), Small(convolutional()), own_detect):
        assert beside_model(signal, adapter) is signal  # type: ignore[arg-type]
    tensor = beside_model(signal, Flagged(convolutional()))
    assert isinstance(tensor, Tensor)
    assert tensor.dtype == torch.float32
    assert beside_model(tensor, Flagged(convolutional())) is tensor


def test_the_recording_is_out_of_the_detectors_reach() -> None:
    signal = eeg()
    before = signal.copy()
    signal.flags.writeable = False
    tensor = beside_model(signal, Flagged(convolutional()))
    tensor += 1
    assert np.array_equal(signal, before)


def test_a_shift_that_writes_to_its_input_is_refused() -> None:
    class InPlace(Baseline):
        def perturb(self, eeg: Any, sfreq: float, rng: np.random.Generator, channels: Any) -> Any:
            eeg[0, :] += 1
            return super().perturb(eeg, sfreq, rng, channels)

    signal = recording()
    with pytest.raises(ValueError, match="read-only"):
        InPlace().apply(signal, RECORDED_HZ, generator())
    with pytest.raises(ShiftError, match=r"^baseline wrote to its input; return a changed copy$"):
        InPlace().apply(torch.tensor(signal), RECORDED_HZ, generator())


def test_inference_tensors_keep_no_count_of_writes() -> None:
    with torch.inference_mode():
        tensor = torch.tensor(recording())
        assert torch.equal(Baseline().apply(tensor, RECORDED_HZ, generator()), tensor)


@pytest.mark.parametrize("seed", [0, 1])
def test_torch_adapters_take_tensors_and_arrays_alike(seed: int) -> None:
    adapter, signal = Flagged(convolutional()), eeg(3000, seed=seed)
    tensor, asked = torch.from_numpy(signal.copy()), StochasticPasses(5, 0.5, seed)
    assert np.array_equal(adapter.detect(tensor, SFREQ, CHANNELS), adapter.detect(signal, SFREQ, CHANNELS))
    passes = [adapter.agreement(x, SFREQ, CHANNELS, passes=5, tau=0.5, seed=seed) for x in (tensor, signal)]
    assert np.array_equal(passes[0].phi, passes[1].phi)
    stages = [adapter.examine(x, SFREQ, CHANNELS, stochastic=asked) for x in (tensor, signal)]
    assert np.array_equal(stages[0].mask, stages[1].mask)


def test_the_demo_detector_takes_tensors() -> None:
    signal = eeg(256 * 90, n_channels=19)
    found = demo_adapter().probabilities(torch.from_numpy(signal.copy()), 256.0, ELECTRODES)
    assert np.array_equal(found, demo_adapter().probabilities(signal, 256.0, ELECTRODES))


def test_the_example_takes_tensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[1] / "examples" / "eegwavenet"))
    example = importlib.import_module("eegwavenet")
    torch.manual_seed(0)
    for fold in example.FOLDS:
        torch.save(example.EEGWaveNet().state_dict(), tmp_path / f"model_fold_{fold}.pt")
    adapter, signal = example.EEGWaveNetAdapter(tmp_path), eeg(256 * 20, n_channels=19)
    tensor = torch.from_numpy(signal.copy())
    expected = adapter.probabilities(signal, 256.0, ELECTRODES)
    assert np.array_equal(adapter.probabilities(tensor, 256.0, ELECTRODES), expected)
    assert np.array_equal(tensor.numpy(), signal)
    with PretendDevice():
        found = move_there(adapter).probabilities(torch.tensor(signal, device=DEVICE), 256.0, ELECTRODES)
    assert np.array_equal(found, expected)


def test_power_keeps_its_digits_in_an_hour() -> None:
    channel = np.random.default_rng(0).normal(0, 30, 921_600).astype(np.float32)
    assert power(torch.from_numpy(channel)) == pytest.approx(channel.astype(np.float64).var(), rel=1e-6)
