"""Which recordings a corpus holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_robustseiz.corpus import CorpusError, discover


def add(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def add_recording(root: Path, folder: str, stem: str, *, extension: str = ".edf") -> None:
    add(root, f"{folder}/{stem}_eeg{extension}", f"{folder}/{stem}_events.tsv")


def list_backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    listdir = os.listdir

    def backwards(path: Path) -> list[str]:
        return sorted(listdir(path), reverse=True)

    monkeypatch.setattr(os, "listdir", backwards)


def test_recordings_with_and_without_sessions(tmp_path: Path) -> None:
    add_recording(tmp_path, "sub-01/eeg", "sub-01_task-sz")
    add_recording(tmp_path, "sub-02/ses-01/eeg", "sub-02_ses-01_task-sz_run-00")
    add_recording(tmp_path, "sub-02/ses-02/eeg", "sub-02_ses-02_task-sz_run-00", extension=".vhdr")
    add(tmp_path, "sub-02/ses-02/eeg/sub-02_ses-02_task-sz_run-00_eeg.eeg", "sub-02/anat/sub-02_T1w.nii.gz")
    add(tmp_path, "README", "participants.tsv", "derivatives/sub-09/eeg/sub-09_eeg.edf")

    first, second = discover(tmp_path)

    assert (first.name, second.name) == ("sub-01", "sub-02")
    only = first.recordings[0]
    assert (only.subject, only.stem, only.folder) == ("sub-01", "sub-01_task-sz", "sub-01/eeg")
    assert only.eeg == tmp_path / "sub-01/eeg/sub-01_task-sz_eeg.edf"
    assert only.events == tmp_path / "sub-01/eeg/sub-01_task-sz_events.tsv"
    assert [r.folder for r in second.recordings] == ["sub-02/ses-01/eeg", "sub-02/ses-02/eeg"]
    assert [r.eeg.suffix for r in second.recordings] == [".edf", ".vhdr"]


@pytest.mark.parametrize("extension", [".edf", ".EDF", ".Bdf", ".bdf", ".vhdr", ".set", ".SET"])
def test_extension_in_any_case(tmp_path: Path, extension: str) -> None:
    add_recording(tmp_path, "sub-01/eeg", "sub-01", extension=extension)
    assert discover(tmp_path)[0].recordings[0].eeg.name == f"sub-01_eeg{extension}"


def test_order_is_lexicographic_whatever_the_file_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for subject in ("sub-10", "sub-2", "sub-A", "sub-a"):
        for run in ("run-1", "run-0", "run-10"):
            add_recording(tmp_path, f"{subject}/ses-1/eeg", f"{subject}_ses-1_{run}")
    expected = discover(tmp_path)
    list_backwards(monkeypatch)
    assert discover(tmp_path) == expected
    assert [s.name for s in expected] == ["sub-10", "sub-2", "sub-A", "sub-a"]
    assert [r.stem for r in expected[0].recordings] == [f"sub-10_ses-1_run-{i}" for i in ("0", "1", "10")]


def test_no_eeg_file_is_opened(tmp_path: Path) -> None:
    add(tmp_path, "sub-01/eeg/sub-01_events.tsv")
    (tmp_path / "sub-01/eeg/sub-01_eeg.edf").symlink_to("../../.git/annex/objects/not-fetched")
    assert discover(tmp_path)[0].recordings[0].eeg.is_symlink()


def test_hidden_copies_are_no_recordings(tmp_path: Path) -> None:
    add_recording(tmp_path, "sub-01/eeg", "sub-01")
    add(tmp_path, "sub-01/eeg/._sub-01_eeg.edf", "sub-01/eeg/._sub-01_events.tsv")
    assert len(discover(tmp_path)[0].recordings) == 1


def test_missing_folder_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(
        CorpusError, match=r"nowhere: no such folder.*sub-\*/\[ses-\*/\]eeg/\*_eeg\.\{edf,bdf,vhdr,set\}"
    ):
        discover(tmp_path / "nowhere")


def test_folder_without_subjects_says_what_was_looked_for(tmp_path: Path) -> None:
    add(tmp_path, "subject1/eeg/a_eeg.edf")
    with pytest.raises(CorpusError, match=r"no folder named sub-\*; looked for sub-\*/"):
        discover(tmp_path)


def test_all_offenders_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    list_backwards(monkeypatch)
    add_recording(tmp_path, "sub-01/eeg", "sub-01_run-0")
    add(tmp_path, "sub-01/eeg/sub-01_run-1_eeg.edf")
    add(tmp_path, "sub-02/ses-1/eeg/sub-02_ses-1_events.tsv")
    add_recording(tmp_path, "sub-03/eeg", "sub-03")
    add(tmp_path, "sub-03/eeg/sub-03_eeg.bdf")
    (tmp_path / "sub-04").mkdir()

    with pytest.raises(CorpusError, match=r"looked for sub-\*/") as caught:
        discover(tmp_path)

    lines = [line.strip() for line in str(caught.value).splitlines()[1:]]
    assert lines == [
        "sub-01/eeg/sub-01_run-1_eeg.edf: no sub-01_run-1_events.tsv beside it",
        "sub-02/ses-1/eeg/sub-02_ses-1_events.tsv: an events table without its EEG file",
        "sub-03/eeg: sub-03_eeg.bdf and sub-03_eeg.edf share one stem; keep one of them",
        "sub-02: no *_eeg file with extension .bdf, .edf, .set, .vhdr",
        "sub-04: no *_eeg file with extension .bdf, .edf, .set, .vhdr",
    ]


@pytest.mark.parametrize(
    "name, problem",
    [
        ("a_eeg.edf.gz", "an EEG file of a kind that cannot be read; convert it to .bdf, .edf, .set, .vhdr"),
        ("a_eeg.nwb", "an EEG file of a kind that cannot be read; convert it to .bdf, .edf, .set, .vhdr"),
        ("a_EEG.NWB", "an EEG file of a kind that cannot be read; convert it to .bdf, .edf, .set, .vhdr"),
        ("a_EEG.edf", "write _eeg in lower case"),
        ("a_Eeg.VHDR", "write _eeg in lower case"),
    ],
)
def test_files_that_would_be_passed_over(tmp_path: Path, name: str, problem: str) -> None:
    for folder in ("sub-01/eeg", "sub-02/ses-1/eeg"):
        add_recording(tmp_path, folder, "good")
        add(tmp_path, f"{folder}/{name}")
    with pytest.raises(CorpusError, match="looked for") as caught:
        discover(tmp_path)
    lines = [line.strip() for line in str(caught.value).splitlines()[1:]]
    assert lines == [f"{folder}/{name}: {problem}" for folder in ("sub-01/eeg", "sub-02/ses-1/eeg")]


@pytest.mark.parametrize("extension", [".json", ".JSON", ".eeg", ".EEG", ".vmrk", ".fdt", ".Fdt"])
def test_companions_are_no_recordings(tmp_path: Path, extension: str) -> None:
    add_recording(tmp_path, "sub-01/eeg", "good", extension=".set")
    add(tmp_path, f"sub-01/eeg/good_eeg{extension}", "sub-01/eeg/sub-01_electrodes.tsv", "sub-01/eeg/notes.edf")
    assert [r.eeg.name for r in discover(tmp_path)[0].recordings] == ["good_eeg.set"]


@pytest.mark.parametrize(
    "folder, problem",
    [
        ("sub-01/EEG", "sub-01/EEG: name the folder eeg"),
        ("sub-01/ses-2/Eeg", "sub-01/ses-2/Eeg: name the folder eeg"),
        ("sub-01/Ses-2/eeg", "sub-01/Ses-2: write ses- in lower case"),
        ("Sub-01/eeg", "Sub-01: write sub- in lower case"),
    ],
)
def test_folders_in_another_case(tmp_path: Path, folder: str, problem: str) -> None:
    add_recording(tmp_path, "sub-01/ses-1/eeg", "good")
    add_recording(tmp_path, folder, "lost")
    with pytest.raises(CorpusError, match="looked for") as caught:
        discover(tmp_path)
    assert [line.strip() for line in str(caught.value).splitlines()[1:]] == [problem]


def test_only_folders_in_another_case(tmp_path: Path) -> None:
    add_recording(tmp_path, "SUB-01/eeg", "lost")
    with pytest.raises(CorpusError, match=r"SUB-01: write sub- in lower case"):
        discover(tmp_path)


def test_files_are_no_folders(tmp_path: Path) -> None:
    add_recording(tmp_path, "sub-01/eeg", "good")
    add(tmp_path, "SUB-list", "sub-01/EEG", "sub-01/Ses-list", "sub-01/ses-1/eeg")
    assert len(discover(tmp_path)[0].recordings) == 1


def test_import_is_light() -> None:
    code = (
        "import sys, pytest_robustseiz.corpus; "
        "print([m for m in ('numpy', 'mne', 'scipy', 'pandas', 'torch', 'soxr') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_real_corpus(shared_data: Path) -> None:
    subjects = discover(shared_data / "real-bids")
    assert [s.name for s in subjects] == ["sub-absence01", "sub-emu01", *(f"sub-icu0{i}" for i in range(1, 10))]
    assert all(len(s.recordings) == 1 for s in subjects)
