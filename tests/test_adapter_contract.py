"""What a detector may answer, and how it is identified."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pytest_robustseiz.adapters import (
    Adapter,
    DetectorOutputError,
    NotFingerprintable,
    as_mask,
    derive_pairs,
    fingerprint,
    source_of,
)


@pytest.mark.parametrize(
    "answer", [[True, False, True], [1, 0, 1], np.array([1, 0, 1], np.uint8), np.array([1.0, 0.0, 1.0], np.float32)]
)
def test_masks_are_accepted(answer: object) -> None:
    mask = as_mask(answer, 3)  # type: ignore[arg-type]
    assert mask.dtype == np.bool_
    assert mask.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "answer, message",
    [
        (None, "expected a mask of 3 booleans, one per sample, got None"),
        ([0.1, 0.9, 1.0], r"got 0\.1 at sample 0; turn probabilities into a mask"),
        ([0, 1, 2], "got 2 at sample 2"),
        ([0, -1, 0], "got -1 at sample 1"),
        ([0.0, np.nan, 1.0], "got NaN at sample 1"),
        ([[True, False, True]], r"got shape \(1, 3\)"),
        ([], r"got shape \(0,\)"),
        ([True, False], r"got shape \(2,\) of bool"),
        (True, r"got shape \(\)"),
        (["a", "b", "c"], "got values of type <U1"),
        ([[1], [1, 2], [3]], "got list: setting an array element"),
        (np.array([1, 0, 1], np.complex64), "got values of type complex64"),
    ],
)
def test_anything_else_is_an_error_that_says_what_was_expected(answer: object, message: str) -> None:
    with pytest.raises(DetectorOutputError, match=message):
        as_mask(answer, 3)  # type: ignore[arg-type]


def test_protocol_is_structural() -> None:
    class Detector:
        name = "x"
        montages = ("unipolar",)

        def detect(self, eeg: object, sfreq: float, channels: object) -> None: ...
        def agreement(self, *args: object, **kwargs: object) -> None: ...
        def fingerprint(self) -> None: ...

    assert isinstance(Detector(), Adapter)
    assert not isinstance(object(), Adapter)


def test_pairs_are_differences_and_the_reference_cancels() -> None:
    eeg = np.array([[1.0, 2.0], [10.0, 20.0], [5.0, 5.0]])
    pairs = derive_pairs(eeg, ("A", "B", "C"), ("A-B", "C-A"))
    assert pairs.tolist() == [[-9.0, -18.0], [4.0, 3.0]]
    np.testing.assert_array_equal(derive_pairs(eeg + 7, ("A", "B", "C"), ("A-B", "C-A")), pairs)


def test_pairs_that_exist_are_put_in_order() -> None:
    eeg = np.array([[1.0], [2.0]])
    assert derive_pairs(eeg, ("C-A", "A-B"), ("A-B", "C-A")).tolist() == [[2.0], [1.0]]


def test_a_pair_without_its_electrode_is_an_error() -> None:
    with pytest.raises(ValueError, match="A-X needs X; the recording has A, B"):
        derive_pairs(np.zeros((2, 4)), ("A", "B"), ("A-B", "A-X"))


def test_fingerprint_sees_every_difference() -> None:
    array = np.arange(4, dtype=np.float32)
    variants = [
        (), (None,), (0,), (0.0,), (False,), ("0",), (b"0",), ([0],), ((0,),), ({"a": 0},), ({"b": 0},), ({0},),
        (array,), (array.astype(np.float64),), (array.reshape(2, 2),), (array + 1,), (1, 2), ("1", "2"), ("12",),
        (["1", "2"],), (["12"],), (Path("0"),), ([[1], 2],), ([[1, 2]],), ({"a": {"b": 1}},), ({"a": {}, "b": 1},),
    ]  # fmt: skip
    hashes = [fingerprint(*variant) for variant in variants]
    assert len(set(hashes)) == len(variants)


def test_fingerprint_does_not_depend_on_order_of_keys_or_process() -> None:
    here = fingerprint({"b": 1, "a": {3, 1, 2}}, frozenset({"x", "y", "z"}))
    assert here == fingerprint({"a": {2, 1, 3}, "b": 1}, frozenset({"z", "y", "x"}))
    code = (
        "from pytest_robustseiz.adapters import fingerprint;"
        "print(fingerprint({'b': 1, 'a': {3, 1, 2}}, frozenset({'x', 'y', 'z'})))"
    )
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        assert done.stdout.strip() == here


def test_what_has_no_content_has_no_fingerprint() -> None:
    with pytest.raises(NotFingerprintable, match="object has no hash"):
        fingerprint(object())


def test_source_follows_the_authors_own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_filters.py").write_text("def low_pass(x):\n    return x\n")
    (tmp_path / "my_detector.py").write_text(
        "import numpy\nfrom my_filters import low_pass\n\nclass Detector:\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import my_detector  # type: ignore[import-not-found]

    before = source_of(my_detector.Detector)
    assert set(before) == {"my_detector", "my_filters"}
    (tmp_path / "my_filters.py").write_text("def low_pass(x):\n    return x / 2\n")
    assert source_of(my_detector.Detector)["my_filters"] != before["my_filters"]
    assert source_of(my_detector.Detector)["my_detector"] == before["my_detector"]


def test_code_in_no_file_has_no_source() -> None:
    cls = type("Nowhere", (), {"__module__": "nowhere_module"})
    module = type(sys)("nowhere_module")
    sys.modules["nowhere_module"] = module
    try:
        with pytest.raises(NotFingerprintable, match="module 'nowhere_module' is in no file"):
            source_of(cls)
    finally:
        del sys.modules["nowhere_module"]
