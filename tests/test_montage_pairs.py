"""A file of pairs, or of electrodes against another electrode, is never read as unipolar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_robustseiz.labels import is_difference
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES, MontageError, select_channels

TRANSVERSE = ["Fp1-Fp2", "F7-F3", "F3-Fz", "Fz-F4", "F4-F8", "T3-C3", "C3-Cz", "Cz-C4", "C4-T4", "T5-P3", "P3-Pz"]
TRANSVERSE += ["Pz-P4", "P4-T6", "O1-O2"]
REVERSED = ["-".join(reversed(pair.split("-"))) for pair in DOUBLE_BANANA]
SLEEP = ["C3-M2", "C4-M1", "F3-M2", "F4-M1", "O1-M2", "O2-M1"]
OTHER_SITES = ["FT9-FT10", "AF3-FC3", "CP5-PO7", "T9-P9"]
EARS = ["Fp1-A1", "Fp2-A2", "EEG C3-A2"]
SEPARATORS = ["C3/A2", "C4:A1", "EEG O1/O2", "F3 - M2"]


@pytest.mark.parametrize("pairs", [TRANSVERSE, REVERSED, REVERSED[:3], SLEEP, OTHER_SITES, EARS, SEPARATORS])
@pytest.mark.parametrize("prefix", ["", "EEG "])
def test_pairs_beside_a_pair_of_electrodes_are_refused(pairs: list[str], prefix: str) -> None:
    labels = [*(prefix + pair.removeprefix("EEG ") for pair in pairs), "Cz", "Pz", "ECG", "EOG-L"]
    message = rf"neither electrodes .*: found 2 of 19 electrodes and 0 of 18 pairs .*, {len(pairs)} differences in all"
    with pytest.raises(MontageError, match=message):
        select_channels(labels)


@pytest.mark.parametrize("n, unipolar", [(2, False), (3, True), (9, True)])
def test_pairs_may_not_outnumber_electrodes(n: int, unipolar: bool) -> None:
    labels = [*ELECTRODES[:n], *SLEEP[:3]]
    if unipolar:
        selection = select_channels(labels)
        assert selection.montage == "unipolar"
        listing = "'C3-M2', 'C4-M1', 'F3-M2'"
        assert selection.notes == (f"not read, since they are differences, or against an unknown reference: {listing}",)
    else:
        with pytest.raises(MontageError, match="neither electrodes"):
            select_channels(labels)


@pytest.mark.parametrize("n, unipolar", [(9, False), (10, True)])
def test_more_than_half_of_the_electrodes_are_unipolar_whatever_stands_beside_them(n: int, unipolar: bool) -> None:
    labels = [*ELECTRODES[:n], *TRANSVERSE]
    if unipolar:
        assert select_channels(labels).montage == "unipolar"
    else:
        with pytest.raises(MontageError, match="neither electrodes"):
            select_channels(labels)


def test_other_channels_of_a_double_banana_are_named() -> None:
    notes = select_channels([*DOUBLE_BANANA, "T7-FT9", "FT9-FT10", "P7-T7", "ECG"]).notes
    assert notes == ("left out, since they are no pairs of the montage: 'T7-FT9', 'FT9-FT10', 'P7-T7', 'ECG'",)


@pytest.mark.parametrize("label", [*TRANSVERSE, *REVERSED, *SLEEP, *OTHER_SITES, *EARS, *SEPARATORS, "ECG-Fp1", "C3-"])
def test_labels_of_differences(label: str) -> None:
    assert is_difference(label)


@pytest.mark.parametrize(
    "label",
    ["Fp1", "EEG Fp1-REF", "Fp1 - Avg", "CP3-LE", "EOG-L", "E1-M2", "M1-M2", "A1-A2", "EMG1-EMG2", "ECG EKG-Ref", "-"],
)
def test_labels_of_no_difference(label: str) -> None:
    assert not is_difference(label)


@given(
    st.sets(st.sampled_from(ELECTRODES), max_size=9),
    st.lists(st.sampled_from([*TRANSVERSE, *REVERSED, *SLEEP, *OTHER_SITES, *DOUBLE_BANANA]), unique=True, min_size=10),
)
def test_many_pairs_beside_few_electrodes_are_never_unipolar(electrodes: set[str], pairs: list[str]) -> None:
    try:
        selection = select_channels([*electrodes, *pairs])
    except MontageError:
        return
    assert selection.montage == "bipolar"


@given(st.lists(st.sampled_from([f"{a}-{b}" for a in ELECTRODES for b in ELECTRODES if a != b]), max_size=40))
def test_pairs_are_never_electrodes(labels: list[str]) -> None:
    try:
        selection = select_channels(labels)
    except MontageError:
        return
    assert selection.montage == "bipolar"
