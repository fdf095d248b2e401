"""From the labels of a file to the rows of a recording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_robustseiz.labels import parse_label
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES, MontageError, select_channels

# Channel lists of the corpora, from the headers of their files
TUSZ = [f"EEG {name.upper()}-REF" for name in ELECTRODES] + ["EEG A1-REF", "EEG EKG1-REF", "EEG 26-REF", "PHOTIC-REF"]
CHB_MIT = [
    "FP1-F7",
    "F7-T7",
    "T7-P7",
    "P7-O1",
    "FP1-F3",
    "F3-C3",
    "C3-P3",
    "P3-O1",
    "FP2-F4",
    "F4-C4",
    "C4-P4",
    "P4-O2",
]
CHB_MIT += ["FP2-F8", "F8-T8", "T8-P8", "P8-O2", "FZ-CZ", "CZ-PZ", "P7-T7", "T7-FT9", "FT9-FT10", "FT10-T8", "T8-P8"]
CHB_MIT += ["-", "-"]
NOT_OURS = [
    "PO3",
    "Fpz",
    "Oz",
    "CP3",
    "A1",
    "ECG",
    "EKG1",
    "EOG-L",
    "X1",
    "1",
    "01",
    "O",
    "-",
    "--",
    "",
    "EEG",
    "EEGEKG",
]
NOT_OURS += [
    "EEG 10",
    "EEG T1-REF",
    "ECG EKG-Ref",
    "EEG Effort-Ref",
    "Fp1-A2",
    "Fp1-ECG",
    "FT9-FT10",
    "Fp1-F3-C3",
    "P3 P7",
]


@pytest.mark.parametrize(
    "label, name, exact",
    [
        ("Fp1", "Fp1", True),
        ("FP1", "Fp1", True),
        ("fz", "Fz", True),
        (" Cz ", "Cz", True),
        ("T7", "T3", True),
        ("t8", "T4", True),
        ("P7", "T5", True),
        ("P8", "T6", True),
        ("EEG Fp1", "Fp1", False),
        ("EEG FP1-REF", "Fp1", False),
        ("EEG FP1-LE", "Fp1", False),
        ("EEG Fp1-Ref", "Fp1", False),
        ("Fp1-Avg", "Fp1", False),
        ("Pz-AVG", "Pz", False),
        ("Pz-AR", "Pz", False),
        ("F7-CS2", "F7", False),
        ("Fp1.", "Fp1", False),
        ("Cz..", "Cz", False),
        ("EEG 01", "O1", False),
        ("EEG 02-REF", "O2", False),
        ("FP1-F7", "Fp1-F7", True),
        ("T8-P8", "T4-T6", True),
        ("EEG FP1-F7", "Fp1-F7", False),
        ("P3-01", "P3-O1", True),
    ],
)
def test_labels_that_name_a_site(label: str, name: str, exact: bool) -> None:
    site = parse_label(label)
    assert site is not None
    assert (site.name, site.exact, site.is_pair) == (name, exact, "-" in name)


@pytest.mark.parametrize("label", NOT_OURS)
def test_labels_that_name_nothing_of_ours(label: str) -> None:
    assert parse_label(label) is None


def test_pair_of_other_electrodes_is_not_its_first_electrode() -> None:
    site = parse_label("P3-P7")
    assert site is not None
    assert site.name == "P3-T5"
    selection = select_channels(["PO3", "P3-P7", "P3", "F3"])
    assert selection.montage == "unipolar"
    assert dict(selection.sources) == {"P3": (2,), "F3": (3,)}
    assert selection.notes == (
        "not read, since they are differences, or against an unknown reference: 'P3-P7'",
        "left out, since they are no electrodes of the montage: 'PO3'",
    )


def test_hospital_labels() -> None:
    selection = select_channels(TUSZ)
    assert (selection.montage, selection.channels) == ("unipolar", ELECTRODES)
    assert dict(selection.sources) == {name: (i,) for i, name in enumerate(ELECTRODES)}
    listed = ", ".join(map(repr, TUSZ[19:]))
    assert selection.notes == (f"left out, since they are no electrodes of the montage: {listed}",)
    assert selection.reference == "REF"


def test_a_long_list_of_channels_that_are_left_out_is_shortened() -> None:
    [note] = select_channels([*ELECTRODES, *(f"X{i}" for i in range(1, 16))]).notes
    assert note.endswith(": 'X1', 'X2', 'X3', 'X4', 'X5', 'X6', 'X7', 'X8', 'X9', 'X10', 'X11', 'X12' (and 3 more)")


def test_double_banana_with_dummies_and_a_repeated_pair() -> None:
    selection = select_channels(CHB_MIT)
    assert (selection.montage, selection.channels) == ("bipolar", DOUBLE_BANANA)
    assert selection.sources["T4-T6"] == (14, 22)
    assert selection.sources["Fp1-F3"] == (4,)
    assert len(selection.sources) == 18


def test_double_banana_is_the_chain_of_the_specification() -> None:
    chains = ["Fp1 F3 C3 P3 O1", "Fp1 F7 T3 T5 O1", "Fz Cz Pz", "Fp2 F4 C4 P4 O2", "Fp2 F8 T4 T6 O2"]
    steps = [f"{a}-{b}" for c in chains for a, b in zip(c.split(), c.split()[1:], strict=False)]
    assert tuple(steps) == DOUBLE_BANANA


def test_bare_name_wins() -> None:
    selection = select_channels([*ELECTRODES, "EEG Fp1-REF"])
    assert selection.sources["Fp1"] == (0,)
    assert dict(selection.spares) == {"Fp1": (19,)}
    assert selection.notes == ()


@pytest.mark.parametrize("labels", [["Fp1", "fp1"], ["EEG FP1-REF", "EEG FP1-LE"], ["T3", "T7"]])
def test_labels_of_equal_standing_are_all_given(labels: list[str]) -> None:
    selection = select_channels([*labels, "Cz"])
    assert next(iter(selection.sources.values())) in {(0, 1), (2,)}
    assert (0, 1) in selection.sources.values()


def test_different_references_are_noted() -> None:
    assert select_channels(["Fp1-REF", "F3-LE"]).notes == ("labels state different references (LE, REF)",)


@pytest.mark.parametrize("labels", [["Fp1-REF", "F3"], ["EEG F3", "EEG Fp1-REF"], [*TUSZ[:18], "T6"]])
def test_references_that_only_some_labels_state_are_noted(labels: list[str]) -> None:
    assert select_channels(labels).notes == ("labels state different references (none, REF)",)


@pytest.mark.parametrize("labels", [["Fp1", "EEG F3"], [*ELECTRODES, "EEG Fp1-REF"], TUSZ, list(DOUBLE_BANANA)])
def test_references_that_agree_are_not_noted(labels: list[str]) -> None:
    assert not any("references" in note for note in select_channels(labels).notes)


def test_a_reference_is_known_where_all_labels_that_are_read_state_it() -> None:
    assert select_channels([*(f"EEG {name}-Ref" for name in ELECTRODES), "EEG Effort-LE"]).reference == "REF"
    for unknown in (ELECTRODES, ["Fp1-REF", "F3"], ["Fp1-REF", "F3-LE"]):
        assert select_channels(unknown).reference == ""


def test_files_that_count_their_electrodes_have_no_occipital_ones() -> None:
    numbered = [f"EEG {i:02d}" for i in range(1, 20)]
    with pytest.raises(MontageError, match="found 0 of 19 electrodes and 0 of 18 pairs"):
        select_channels(numbered)
    assert set(select_channels([*numbered[:2], "EEG Cz"]).sources) == {"O1", "O2", "Cz"}


@pytest.mark.parametrize(
    "labels",
    [["ECG", "EMG"], [], ["Cz", "ECG"], ["Fp1-A1", "Fp2-A2"], ["Fp1-Cz", "Fp2-Cz", "Cz-Pz"], list(DOUBLE_BANANA[:9])],
)
def test_other_montages_are_refused(labels: list[str]) -> None:
    with pytest.raises(
        MontageError, match=r"neither electrodes .* nor the double banana.*" + ", ".join(map(repr, labels))
    ):
        select_channels(labels)


@pytest.mark.parametrize(
    "n_electrodes, n_pairs, montage",
    [
        (19, 18, None),
        (19, 17, "unipolar"),
        (18, 18, "bipolar"),
        (1, 18, "bipolar"),
        (18, 1, "unipolar"),
        (0, 10, "bipolar"),
        (2, 0, "unipolar"),
        (12, 12, None),
        (9, 9, "neither"),
        (3, 9, "neither"),
        (3, 10, "bipolar"),
    ],
)
def test_files_with_both(n_electrodes: int, n_pairs: int, montage: str | None) -> None:
    labels = [*ELECTRODES[:n_electrodes], *DOUBLE_BANANA[:n_pairs]]
    if montage in ("unipolar", "bipolar"):
        selection = select_channels(labels)
        assert selection.montage == montage
        other = ELECTRODES[:n_electrodes] if montage == "bipolar" else DOUBLE_BANANA[:n_pairs]
        both = [f"the file has electrodes and pairs; it was read as {montage}"] if other else []
        assert list(selection.notes[: len(both)]) == both
        assert [note.partition(":")[2].split(",")[0].strip() for note in selection.notes[len(both) :]] == [
            repr(name) for name in other[:1]
        ]
    else:
        with pytest.raises(MontageError, match="neither" if montage else "both montages fit"):
            select_channels(labels)


@given(st.permutations(TUSZ))
def test_order_of_the_file_does_not_matter(labels: list[str]) -> None:
    sources = select_channels(labels).sources
    assert {name: labels[found[0]] for name, found in sources.items()} == dict(zip(ELECTRODES, TUSZ, strict=False))
