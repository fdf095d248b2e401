"""A whole conversion: what goes on after an error, what is not done twice, what an interruption leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from convert_trees import CHB, chb_entry, convert, recordings, report, write_edf, write_text
from filelock import FileLock

from pytest_robustseiz.convert_job import PARTIAL
from pytest_robustseiz.convert_run import LOCK
from pytest_robustseiz.events import write_event_rows


def make_source(root: Path, *, cases: int = 2, files: int = 2, seconds: int = 4) -> Path:
    """CHB-MIT with a seizure from 1 to 3 s in the first file of each case."""
    for case in (f"chb{number:02d}" for number in range(1, cases + 1)):
        names = [f"{case}_{number:02d}.edf" for number in range(1, files + 1)]
        for number, name in enumerate(names):
            write_edf(root / case / name, CHB, seconds=seconds, seed=number)
        write_text(
            root / case / f"{case}-summary.txt",
            *chb_entry(names[0], (1, 3)),
            *(line for name in names[1:] for line in chb_entry(name)),
        )
    return root


def states(target: Path) -> dict[str, str]:
    return {name: row["state"] for name, row in report(target).items()}


def test_nothing_is_done_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = make_source(tmp_path / "source"), tmp_path / "bids"
    assert convert("chbmit", source, target) == 0
    assert set(states(target).values()) == {"converted"}
    written = {path: path.stat().st_mtime_ns for path in target.rglob("*_eeg.*")}
    capsys.readouterr()
    assert convert("chbmit", source, target) == 0
    assert set(states(target).values()) == {"converted before"}
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*_eeg.*")} == written
    shown = capsys.readouterr()
    assert "converted: 0 recordings now, 4 before; 0.00 h, 2 seizures in all" in shown.out
    assert "4 recordings could be read, 0.00 h, 2 seizures, 0 problems" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize("change", ["signal", "list", "cut", "events", "sidecar", "form"])
def test_what_changed_is_done_again(tmp_path: Path, change: str) -> None:
    source, target = make_source(tmp_path / "source"), tmp_path / "bids"
    assert convert("chbmit", source, target) == 0
    stem = target / "sub-01" / "ses-01" / "eeg" / "sub-01_ses-01_task-szMonitoring_run-01"
    eeg, events, sidecar = (stem.with_name(f"{stem.name}_{end}") for end in ("eeg.edf", "events.tsv", "eeg.json"))
    if change == "signal":
        os.utime(source / "chb01" / "chb01_01.edf", (1, 1))
    elif change == "list":
        write_text(
            source / "chb01" / "chb01-summary.txt", *chb_entry("chb01_01.edf", (1, 2)), *chb_entry("chb01_02.edf")
        )
    elif change == "cut":
        eeg.write_bytes(eeg.read_bytes()[:-2])
    elif change == "form":
        content = json.loads(sidecar.read_text(encoding="utf-8"))
        content["RobustseizConversion"]["Made"]["Format"] = 0
        sidecar.write_text(json.dumps(content), encoding="utf-8")
    else:
        (events if change == "events" else sidecar).unlink()
    assert convert("chbmit", source, target) == 0
    found = states(target)
    assert found["chb01/chb01_01.edf"] == "converted"
    others = {"chb01/chb01_02.edf"} if change == "list" else set()  # one list for all files of a case
    assert {name for name, state in found.items() if state == "converted"} == {"chb01/chb01_01.edf"} | others
    seizures = recordings(target)[stem.name].seizures
    assert seizures == (((1.0, 2.0),) if change == "list" else ((1.0, 3.0),))


def test_errors_by_name_and_the_rest_converted(tmp_path: Path) -> None:
    source, target = make_source(tmp_path / "source", cases=1, files=6), tmp_path / "bids"
    folder = source / "chb01"
    write_edf(folder / "chb01_01.edf", CHB, unit=b"nV")
    (folder / "chb01_02.edf").write_bytes(b"")  # a link whose content was not fetched, a broken download
    write_edf(folder / "chb01_03.edf", ["EKG", "EMG"])
    write_edf(folder / "chb01_04.edf", CHB, record_s=b"0")
    write_edf(folder / "chb01_05.edf", CHB, unit=b"mV")
    (source / "notes.edf").write_bytes(b"")
    assert convert("chbmit", source, target) == 1
    rows = report(target)
    expected = {
        "chb01/chb01_01.edf": (
            "unit b'nV' is none of uV, mV, V (and 17 more like this)",
            "correct the unit in the file",
        ),
        "chb01/chb01_02.edf": ("not an EDF or BDF file, it begins with b''", "correct the file, or copy it again"),
        "chb01/chb01_03.edf": ("found 0 of 19 electrodes and 0 of 18 pairs", "rename the channels"),
        "chb01/chb01_04.edf": ("data record duration is not more than 0 s", "copy the file again from its source"),
        "notes.edf": ("not named like a recording of this corpus", "name it chb01/chb01_03.edf beside"),
    }
    for name, (reason, fix) in expected.items():
        assert rows[name]["state"] == "error"
        assert reason in rows[name]["reason"]
        assert rows[name]["fix"].startswith(fix)
    assert sorted(recordings(target)) == [f"sub-01_ses-01_task-szMonitoring_run-0{i}" for i in (5, 6)]
    text = (target / "conversion_report.txt").read_text(encoding="utf-8")
    assert "converted: 2 recordings now, 0 before" in text
    assert "not converted: 5 errors" in text
    assert "  error: chb01/chb01_03.edf: neither electrodes" in text
    assert not list(target.glob("**/*partial*"))


def test_millivolts_are_a_thousand_microvolts(tmp_path: Path) -> None:
    source, target = make_source(tmp_path / "source", cases=1, files=1), tmp_path / "bids"
    data = write_edf(source / "chb01" / "chb01_01.edf", CHB, unit=b"mV")
    assert convert("chbmit", source, target) == 0
    [recording] = recordings(target).values()
    assert recording.eeg[0] == pytest.approx(data["FP1-F3"] * 1000, abs=2)
    assert "standard deviation" in report(target)["chb01/chb01_01.edf"]["notes"]


def test_an_error_removes_what_an_earlier_run_made_of_the_file(tmp_path: Path) -> None:
    source, target = make_source(tmp_path / "source"), tmp_path / "bids"
    assert convert("chbmit", source, target) == 0
    write_edf(source / "chb01" / "chb01_01.edf", CHB, unit=b"nV", seconds=5)
    assert convert("chbmit", source, target) == 1
    assert "sub-01_ses-01_task-szMonitoring_run-01" not in recordings(target)


def test_a_subject_of_which_nothing_is_left_has_no_folder(tmp_path: Path) -> None:
    source, target = make_source(tmp_path / "source", files=1), tmp_path / "bids"
    assert convert("chbmit", source, target) == 0
    write_edf(source / "chb01" / "chb01_01.edf", CHB, unit=b"nV", seconds=5)
    assert convert("chbmit", source, target) == 1
    assert [path.name for path in target.glob("sub-*")] == ["sub-02"]
    assert [stem[:6] for stem in recordings(target)] == ["sub-02"]
    participants = (target / "participants.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in participants] == ["participant_id", "sub-02"]


def test_a_result_that_does_not_read_back_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = make_source(tmp_path / "source", cases=1, files=1), tmp_path / "bids"
    monkeypatch.setattr(
        "pytest_robustseiz.convert_job.write_event_rows",
        lambda path, events, *, recording_s, start: write_event_rows(path, [], recording_s=recording_s, start=start),
    )
    assert convert("chbmit", source, target) == 1
    reason = report(target)["chb01/chb01_01.edf"]["reason"]
    assert reason == "read back, the converted recording has seizures [] instead of [(1.0, 3.0)]"
    assert not list(target.rglob("*_eeg.edf"))


def test_a_recording_of_an_earlier_run_that_was_spoilt_is_a_problem(tmp_path: Path) -> None:
    source, target = make_source(tmp_path / "source"), tmp_path / "bids"
    assert convert("chbmit", source, target, "--subjects", "chb01") == 0
    events = next(target.rglob("*_events.tsv"))
    events.write_text(events.read_text(encoding="utf-8").replace("\tsz\t", "\tseizure\t"), encoding="utf-8")
    assert convert("chbmit", source, target, "--subjects", "chb02") == 1
    text = (target / "conversion_report.txt").read_text(encoding="utf-8")
    assert "1 problem" in text
    assert f"{events}:2: column eventType, value 'seizure'" in text


def test_processes_give_the_same_files(tmp_path: Path) -> None:
    source = make_source(tmp_path / "source", files=3)
    assert convert("chbmit", source, tmp_path / "one") == 0
    assert convert("chbmit", source, tmp_path / "two", "--workers", "2") == 0
    names = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("sub-*/**/*.*"))
    assert len(names) == 18
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert (tmp_path / "one" / "conversion_report.tsv").read_text() == (
        tmp_path / "two" / "conversion_report.tsv"
    ).read_text()


@pytest.mark.parametrize("workers, how", [("1", signal.SIGKILL), ("2", signal.SIGKILL), ("2", signal.SIGINT)])
def test_an_interrupted_conversion_goes_on(tmp_path: Path, workers: str, how: signal.Signals) -> None:
    source, target = make_source(tmp_path / "source", cases=1, files=12, seconds=100), tmp_path / "bids"
    # In the background, where the tests may run, a shell switches Ctrl+C off.
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from pytest_robustseiz.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["convert", "chbmit", str(source), str(target), "--workers", workers]
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while not list(target.glob("sub-*/**/*_eeg.json")) and process.poll() is None:
            time.sleep(0.01)
        if how == signal.SIGINT:
            os.killpg(process.pid, how)  # a terminal sends it to the workers too
        else:
            process.send_signal(how)
        said = process.communicate(timeout=60)[1]
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "interrupted; the same command goes on where it was" in said
        assert "Traceback" not in said
    done = list(target.glob("sub-*/**/*_eeg.json"))
    assert 0 < len(done) < 12
    for sidecar in done:
        content = json.loads(sidecar.read_text(encoding="utf-8"))
        assert sidecar.with_suffix(".edf").stat().st_size == content["RobustseizConversion"]["EegBytes"]
        assert sidecar.with_name(sidecar.name.replace("eeg.json", "events.tsv")).is_file()
    assert convert("chbmit", source, target) == 0
    before = [name for name, state in states(target).items() if state == "converted before"]
    assert len(before) >= len(done)
    assert len(recordings(target)) == 12
    assert not (target / PARTIAL).exists()


def test_two_conversions_at_once_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = make_source(tmp_path / "source"), tmp_path / "bids"
    target.mkdir()
    with FileLock(target / LOCK):
        assert convert("chbmit", source, target) == 1
    assert "another conversion into it is running; wait for its end" in capsys.readouterr().err
    assert convert("chbmit", source, target) == 0
