"""TUSZ version 2: names and splits, csv_bi files, headers that other readers refuse."""

from pathlib import Path

import numpy as np
import pytest
from convert_trees import (
    convert,
    csv_bi,
    place_of,
    reading,
    recordings,
    report,
    times,
    tusz_labels,
    write_edf,
    write_text,
)

from pytest_robustseiz.convert_plan import ConvertError
from pytest_robustseiz.convert_tusz import Tusz
from pytest_robustseiz.corpusfacts import read_corpus_facts

CORPUS = Tusz()
NAME = "edf/eval/aaaaaaaq/s007_2014/01_tcp_ar/aaaaaaaq_s007_t000.edf"
LIST = Path(NAME).with_suffix(".csv_bi")


@pytest.mark.parametrize(
    "name, split, target",
    [
        (NAME, "eval", "sub-aaaaaaaq/ses-007/eeg/sub-aaaaaaaq_ses-007_task-szMonitoring_run-000"),
        (
            "dev/aaaaahln/s002_2008/03_tcp_ar_a/aaaaahln_s002_t005.edf",
            "dev",
            "sub-aaaaahln/ses-002/eeg/sub-aaaaahln_ses-002_task-szMonitoring_run-005",
        ),
        (
            "edf/train/aaaaaksg/s001_2010_08_24/02_tcp_le/aaaaaksg_s001_t001.edf",
            "train",
            "sub-aaaaaksg/ses-001/eeg/sub-aaaaaksg_ses-001_task-szMonitoring_run-001",
        ),
    ],
)
def test_names(name: str, split: str, target: str) -> None:
    place = place_of(CORPUS, name)
    assert place is not None
    assert (place.split, place.target) == (split, target)
    assert place.lists == (name.replace(".edf", ".csv_bi"),)


@pytest.mark.parametrize(
    "name",
    [
        "edf/test/aaaaaaaq/s007_2014/01_tcp_ar/aaaaaaaq_s007_t000.edf",
        "edf/eval/aaaaaaaq/s007_2014/01_tcp_ar/aaaaaaab_s007_t000.edf",
        "edf/eval/aaaaaaaq/s007_2014/01_tcp_ar/aaaaaaaq_s008_t000.edf",
        "edf/eval/01_tcp_ar/002/00000258/s002_2003_07_21/00000258_s002_t000.edf",  # version 1
    ],
)
def test_other_names_are_no_recordings(name: str) -> None:
    assert place_of(CORPUS, name) is None


def test_rows_of_background_are_left_out_and_types_kept(tmp_path: Path) -> None:
    rows = [
        "TERM,0.0000,36.8868,bckg,1.0000",
        "TERM,200.1250,210.0000,fnsz,0.9000",
        "TERM,36.8868,183.3055,seiz,1.0000",
    ]
    write_text(tmp_path / LIST, *csv_bi("aaaaaaaq_s007_t000", 301, *rows))
    found = reading(CORPUS, tmp_path, NAME, seconds=301)
    assert [(e.onset_s, e.stop_s, e.event_type, e.confidence) for e in found.seizures] == [
        (36.8868, 183.3055, "sz", 1.0),
        (200.125, 210.0, "sz_foc", 0.9),
    ]
    assert found.notes == ()


def test_every_label_of_the_guidelines_has_the_code_of_epilepsy2bids(tmp_path: Path) -> None:
    from epilepsy2bids.load_annotations.tuh import _loadSeizures

    labels = ["seiz", "fnsz", "gnsz", "spsz", "cpsz", "absz", "tnsz", "cnsz", "tcsz", "atsz", "mysz"]
    rows = [f"TERM,{10 * i}.0000,{10 * i + 5}.0000,{label},1.0000" for i, label in enumerate(labels)]
    write_text(tmp_path / LIST, *csv_bi("aaaaaaaq_s007_t000", 301, *rows))
    _, types, *_ = _loadSeizures(str(tmp_path / NAME))
    found = reading(CORPUS, tmp_path, NAME, seconds=301)
    assert [event.event_type for event in found.seizures] == [kind.value for kind in types]


def test_background_shorter_than_the_file_is_no_seizure(tmp_path: Path) -> None:
    write_text(tmp_path / LIST, *csv_bi("aaaaaaaq_s007_t000", 300, "TERM,0.0000,1.0255,bckg,1.0000"))  # as published
    assert times(reading(CORPUS, tmp_path, NAME, seconds=300)) == []


def test_a_file_of_another_length_than_stated(tmp_path: Path) -> None:
    write_text(tmp_path / LIST, *csv_bi("aaaaaaaq_s007_t000", 301, "TERM,0.0000,301.0000,bckg,1.0000"))
    [note] = reading(CORPUS, tmp_path, NAME, seconds=250).notes
    assert note == "aaaaaaaq_s007_t000.csv_bi states 301.00 s of recording, the file has 250 s"


@pytest.mark.parametrize(
    "row, message",
    [
        ("TERM,0.0000,0.0000,seiz,1.0000", r"csv_bi:7: a seizure from 0 to 0 s does not fit"),  # there is one in 2.0.6
        ("TERM,290.0000,303.0000,seiz,1.0000", "from 290 to 303 s does not fit"),
        ("TERM,20.0000,10.0000,seiz,1.0000", "from 20 to 10 s does not fit"),
        ("FP1-F7,1.0000,10.0000,seiz,1.0000", r"csv_bi:7: 'FP1-F7,1.0000,10.0000,seiz,1.0000' is no row"),
        ("TERM,1.0000,10.0000,artf,1.0000", "is no row of a term-based annotation"),
        ("TERM,1.0000,10.0000,seiz", "is no row of a term-based annotation"),
        ("TERM,one,10.0000,seiz,1.0000", "'one' is not a number"),
        ("TERM,nan,10.0000,seiz,1.0000", "'nan' is not a number"),
    ],
)
def test_rows_that_cannot_be_trusted(tmp_path: Path, row: str, message: str) -> None:
    write_text(tmp_path / LIST, *csv_bi("aaaaaaaq_s007_t000", 301, row))
    with pytest.raises(ConvertError, match=message):
        reading(CORPUS, tmp_path, NAME, seconds=301)


def test_the_list_of_another_file(tmp_path: Path) -> None:
    write_text(tmp_path / LIST, *csv_bi("aaaaaaaq_s007_t001", 301))
    with pytest.raises(ConvertError, match="is about aaaaaaaq_s007_t001; copy the right one"):
        reading(CORPUS, tmp_path, NAME)
    write_text(tmp_path / LIST, "# version = tse_v1.0.0", "0.0000 36.8868 bckg 1.0000")
    with pytest.raises(ConvertError, match="does not begin with the columns channel,start_time"):
        reading(CORPUS, tmp_path, NAME)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two subjects of the evaluation split and one of another, under the montages and rates of the corpus."""
    root = tmp_path / "tuh_eeg_seizure" / "v2.0.3"
    files = {
        NAME: {"labels": tusz_labels("REF"), "start": "01:01:8512.30.00"},  # a date with colons, as published
        "edf/eval/aaaaaksg/s001_2010/02_tcp_le/aaaaaksg_s001_t001.edf": {"labels": tusz_labels("LE"), "rate": 250},
        "edf/eval/aaaaaksg/s001_2010/03_tcp_ar_a/aaaaaksg_s001_t002.edf": {
            "labels": [one for one in tusz_labels("REF") if "EEG A" not in one and "Z-" not in one],
            "rate": 400,
        },
        "edf/train/aaaaaaac/s001_2002/02_tcp_le/aaaaaaac_s001_t000.edf": {"labels": tusz_labels("LE")},
    }
    for name, options in files.items():
        write_edf(root / name, seconds=20, **options)  # type: ignore[arg-type]
        rows = ["TERM,0.0000,5.1234,bckg,1.0000", "TERM,5.1234,11.5000,seiz,0.8000"]
        write_text((root / name).with_suffix(".csv_bi"), *csv_bi(Path(name).stem, 20, *rows))
    return root


def test_the_evaluation_split_is_the_default(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "bids"
    assert convert("tusz", corpus, target) == 0
    found = recordings(target)
    assert sorted(found) == [
        "sub-aaaaaaaq_ses-007_task-szMonitoring_run-000",
        "sub-aaaaaksg_ses-001_task-szMonitoring_run-001",
        "sub-aaaaaksg_ses-001_task-szMonitoring_run-002",
    ]
    for recording in found.values():
        assert recording.n_samples == 20 * 256
        assert recording.events[0].confidence == 0.8
        np.testing.assert_allclose(recording.seizures, [(5.1234, 11.5)], atol=1e-6)
    assert found["sub-aaaaaksg_ses-001_task-szMonitoring_run-002"].missing == ("Fz", "Cz", "Pz")
    facts = read_corpus_facts(target, ["sub-aaaaaaaq", "sub-aaaaaksg"])
    assert (facts.name, facts.version, facts.split) == ("TUSZ", "2.0.3", "eval")
    assert report(target)["1 file of split train"]["state"] == "left out"


def test_another_split_beside_it(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "bids"
    assert convert("tusz", corpus, target) == 0
    assert convert("tusz", corpus, target, "--split", "train") == 0
    assert (target / "participants.tsv").read_text(encoding="utf-8").splitlines() == [
        "participant_id\tTUH_id\tsplit",
        "sub-aaaaaaac\taaaaaaac\ttrain",
        "sub-aaaaaaaq\taaaaaaaq\teval",
        "sub-aaaaaksg\taaaaaksg\teval",
    ]
    assert "of earlier runs, not of this one:" in (target / "conversion_report.txt").read_text(encoding="utf-8")


def test_a_session_that_is_there_in_two_montages(corpus: Path, tmp_path: Path) -> None:
    again = corpus / NAME.replace("01_tcp_ar", "03_tcp_ar_a")  # as in version 2.0.1
    write_edf(again, tusz_labels("REF"), seconds=20)
    write_text(again.with_suffix(".csv_bi"), *csv_bi("aaaaaaaq_s007_t000", 20))
    target = tmp_path / "bids"
    assert convert("tusz", corpus, target) == 1
    for name in (NAME, NAME.replace("01_tcp_ar", "03_tcp_ar_a")):
        row = report(target)[name]
        assert row["state"] == "error"
        assert row["reason"].endswith("are one recording by their names")
    assert len(recordings(target)) == 2


def test_an_exact_rate_keeps_events_in_their_place(tmp_path: Path) -> None:
    root, target = tmp_path / "v2.0.3", tmp_path / "bids"
    write_edf(root / NAME, tusz_labels("REF"), seconds=3600, rate=25, record_s=b"1.00008")  # 24.998 Hz
    row = "TERM,3000.0000,3060.0000,seiz,1.0000"
    write_text(root / LIST, *csv_bi("aaaaaaaq_s007_t000", 3600.288, row))
    assert convert("tusz", root, target) == 0
    [recording] = recordings(target).values()
    assert recording.n_samples == 921_672  # 3600.288 s at 256 Hz are 921673.7 samples
    assert recording.seizures == ((3000.0, 3060.0),)
    assert "the last 7.8 ms were left out" in report(target)[NAME]["notes"]


def test_pairs_where_the_corpus_has_electrodes(tmp_path: Path) -> None:
    from pytest_robustseiz.montage import DOUBLE_BANANA

    root, target = tmp_path / "v2.0.3", tmp_path / "bids"
    write_edf(root / NAME, [f"EEG {pair}" for pair in DOUBLE_BANANA], seconds=20)
    write_text(root / LIST, *csv_bi("aaaaaaaq_s007_t000", 20))
    assert convert("tusz", root, target) == 1
    assert "its channels are pairs of electrodes" in report(target)[NAME]["reason"]
