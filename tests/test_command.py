"""A detector that is a program: what it gets, what is made of its table, and what happens where it fails."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from file_detectors import LOUD, gone, write_program
from hypothesis import example, given
from hypothesis import strategies as st
from tiny import make_eeg

from pytest_robustseiz.adapters import (
    Adapter,
    AgreementUnavailable,
    CommandAdapter,
    CommandError,
    Measuring,
    as_mask,
)
from pytest_robustseiz.adapters.command import visible_gpu
from pytest_robustseiz.adapters.command_files import mask_of
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.scoring import events_to_mask, mask_to_events

HEADER = r"onset\tduration\teventType\n"
N_SAMPLES = 256 * 20


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder in which private folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def eeg(n_channels: int = 19, n_samples: int = N_SAMPLES) -> np.ndarray:
    return np.random.default_rng(0).normal(0, 30, (n_channels, n_samples)).astype(np.float32)


def shell(script: str, **options: object) -> CommandAdapter:
    """A detector that is a line of shell; $1 is the recording, $2 the table."""
    return CommandAdapter(["sh", "-c", script, "sh"], name="line", **options)  # type: ignore[arg-type]


def detect(adapter: CommandAdapter, channels: Sequence[str] = ELECTRODES) -> np.ndarray:
    return adapter.detect(eeg(len(channels)), 256.0, channels)


def test_it_is_an_adapter_that_measures_and_cannot_be_attacked_or_made_stochastic() -> None:
    adapter = shell("true")
    assert isinstance(adapter, Adapter)
    assert isinstance(adapter, Measuring)
    with pytest.raises(AgreementUnavailable, match="line is reached by files"):
        adapter.agreement(eeg(), 256.0, ELECTRODES, passes=5, tau=0.8, seed=0)


def test_the_table_becomes_a_mask(temporary: Path) -> None:
    rows = r"15\t9e-9\tsz\n2.5\t1\tsz-foc-ia\n18\t2.9\tsz\n0\t20\tbckg\n4\t1\tartifact\n"
    mask = detect(shell(f"printf '{HEADER}{rows}' > $2"))
    assert as_mask(mask, N_SAMPLES) is mask
    assert mask_to_events(mask, 256.0) == [(2.5, 3.5), (15.0, 15 + 1 / 256), (18.0, 20.0)]
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("rows", ["", r"0\t20\tbckg\n"])
def test_a_table_without_seizures_is_silence(rows: str) -> None:
    assert not detect(shell(f"printf '{HEADER}{rows}' > $2")).any()


spans = st.tuples(st.floats(0, 19.9999), st.floats(1e-6, 20)).map(lambda span: (span[0], min(sum(span), 20.0)))


@given(spans.filter(lambda span: span[0] < span[1]))
@example((19.9999, 20.0))
def test_an_event_covers_the_samples_that_scoring_gives_it(span: tuple[float, float]) -> None:
    mask = mask_of([span], 256.0, N_SAMPLES)
    assert mask.any()
    assert (mask == events_to_mask([span], 256.0, N_SAMPLES)).all()


@pytest.mark.parametrize(
    "template, expected",
    [
        ("sh -c 'echo $0 $1 >&2'", ["RECORDING", "TABLE"]),
        (["sh", "-c", "echo $0 $1 >&2", "{output}", "{input}"], ["TABLE", "RECORDING"]),
        (["sh", "-c", "echo $0 $1 >&2", "--in={input}", "-o{output}"], ["--in=RECORDING", "-oTABLE"]),
        (["sh", "-c", "echo $INPUT $OUTPUT >&2"], ["RECORDING", "TABLE"]),
    ],
)
def test_the_program_is_told_both_paths(template: str | list[str], expected: list[str], temporary: Path) -> None:
    with pytest.raises(CommandError, match="left no table") as failure:
        detect(CommandAdapter(template))
    told = str(failure.value).splitlines()[-1].split()
    folder = next(word for word in told if str(temporary) in word).partition(str(temporary))[2].split("/")[1]
    places = {"RECORDING": f"{temporary}/{folder}/data/input.edf", "TABLE": f"{temporary}/{folder}/output/output.tsv"}
    wanted = " ".join(expected)
    for name, place in places.items():
        wanted = wanted.replace(name, place)
    assert " ".join(told) == wanted


def test_the_recording_has_the_labels_of_the_platform(tmp_path: Path) -> None:
    pyedflib = pytest.importorskip("pyedflib", reason="needs the extra convert")
    adapter = shell(f"cp $1 {tmp_path}/seen.edf; printf '{HEADER}' > $2", montages=("unipolar", "bipolar"))
    for channels, expected in ((ELECTRODES, [f"{e}-Avg" for e in ELECTRODES]), (DOUBLE_BANANA, list(DOUBLE_BANANA))):
        found = adapter.detect_measured(eeg(len(channels)), 256.0, channels)
        with pyedflib.EdfReader(f"{tmp_path}/seen.edf") as reader:
            assert reader.getSignalLabels() == expected
            assert set(reader.getSampleFrequencies()) == {256.0}
            assert (reader.getNSamples() == N_SAMPLES).all()
        assert set(found.figures) == {"edf_step_uv", "edf_error_rms_uv", "edf_added_samples"}


def test_a_subclass_may_label_as_its_program_expects(tmp_path: Path) -> None:
    class Bare(CommandAdapter):
        def labels(self, channels: Sequence[str]) -> list[str]:
            return list(channels)

    adapter = Bare(["sh", "-c", f"head -c 272 $1 | tail -c 16 > {tmp_path}/label; printf '{HEADER}' > $2", "sh"])
    detect(adapter)
    assert (tmp_path / "label").read_text().split() == ["Fp1"]


def test_a_real_program_finds_what_the_rule_finds_in_python(tmp_path: Path) -> None:
    pytest.importorskip("pyedflib", reason="the program reads with it; comes with the extra convert")
    program = write_program(tmp_path, LOUD)
    signal_uv = make_eeg([(20.0, 30.0), (50.0, 53.0)], 60, seed=0).astype(np.float32)
    mask = CommandAdapter([sys.executable, str(program)]).detect(signal_uv, 256.0, ELECTRODES)
    assert mask_to_events(mask, 256.0) == [(20.0, 30.0), (50.0, 53.0)]


LEFT = r"left a table that breaks the rules:\n.*output\.tsv"


@pytest.mark.parametrize(
    "script, message",
    [
        ("echo some; echo lines; exit 3", r"^sh -c .*input\.edf \S*output\.tsv ended with exit status 3\nits last lines:\n  some\n  lines$"),  # noqa: E501
        ("kill -KILL $$", r"was ended by SIGKILL, as the system does when memory runs out .*\nit printed nothing$"),
        ("echo done", r"left no table at \S*output\.tsv; its output folder holds nothing\nits last lines:\n  done$"),
        ("echo > ${2%/*}/other.csv", r"its output folder holds \['other\.csv'\]"),
        ("ln -s /etc/passwd $2", r"left no table at .* holds \['output\.tsv'\]"),
        ("mkdir $2", r"left no table at .* holds \['output\.tsv'\]"),
        (": > $2; echo done", LEFT + r": empty; expected a header line[^\n]*\nits last lines:\n  done$"),
        ("printf 'onset\\tduration\\n1\\t2\\n' > $2", LEFT + ":1: no column eventType"),
        (f"printf '{HEADER}x\\t2\\tsz\\n' > $2", LEFT + ":2: column onset, value 'x': must be a number"),
        (f"printf '{HEADER}nan\\t2\\tsz\\n' > $2", LEFT + ":2: column onset, value 'nan': must be a finite number"),
        (f"printf '{HEADER}1\\t2\\tseizure\\n' > $2", LEFT + ":2: column eventType, value 'seizure': is not a code"),
        (f"printf '{HEADER}1000\\t5000\\tsz\\n' > $2", LEFT + ":2: column onset, value '1000': .* milliseconds"),
        (f"printf '{HEADER}5\\t40\\tsz\\n' > $2", LEFT + ":2: column duration, value '40': .* ends at 45 s"),
        ("head -c 4000 $1 > $2", LEFT + ": cannot be read as UTF-8 text|no column"),
    ],
)  # fmt: skip
def test_a_failure_says_what_happened_and_leaves_nothing(script: str, message: str, temporary: Path) -> None:
    with pytest.raises(CommandError, match=r"(?s)" + message):
        detect(shell(script))
    assert list(temporary.iterdir()) == []


def test_a_program_that_takes_too_long_is_ended(temporary: Path, tmp_path: Path) -> None:
    script = f"echo begun; sleep 300 & echo $! > {tmp_path}/child; wait"
    message = r"took longer than 1 s and was ended\nits last lines:\n  begun$"
    with pytest.raises(CommandError, match=message):
        detect(shell(script, timeout_s=1.0))
    assert list(temporary.iterdir()) == []
    assert gone(tmp_path / "child")


def test_a_program_that_vanished_since_is_named(tmp_path: Path) -> None:
    program = write_program(tmp_path, "#!/bin/sh\n")
    program.chmod(0o755)
    adapter = CommandAdapter([str(program)])
    program.unlink()
    with pytest.raises(
        CommandError, match=r"detector\.py .* cannot be started \(.*No such file.*\)\nit printed nothing"
    ):
        detect(adapter)


def test_a_recording_that_cannot_be_written_leaves_nothing(temporary: Path) -> None:
    recording = eeg()
    recording[4, 10] = np.nan
    with pytest.raises(ValueError, match="channel 'O1-Avg' ranges from nan"):
        shell("true").detect(recording, 256.0, ELECTRODES)
    assert list(temporary.iterdir()) == []


def test_an_interrupted_run_ends_the_program_and_removes_the_folder(temporary: Path, tmp_path: Path) -> None:
    """What happens on Ctrl+C, which reaches us but not the program."""
    code = (
        "import numpy, signal; from pytest_robustseiz.adapters import CommandAdapter\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with it ignored\n"
        f"adapter = CommandAdapter(['sh', '-c', 'echo $$ > {tmp_path}/pid.part; mv {tmp_path}/pid.part {tmp_path}/pid; "
        "sleep 300'])\n"
        "adapter.detect(numpy.zeros((1, 256), numpy.float32), 256.0, ['C3'])\n"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(temporary)}, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() and time.monotonic() < deadline and ours.poll() is None:
        time.sleep(0.02)
    assert len(list(temporary.iterdir())) == 1
    ours.send_signal(signal.SIGINT)
    _, said = ours.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert list(temporary.iterdir()) == []
    assert gone(tmp_path / "pid")


@pytest.mark.parametrize(
    "command, message",
    [
        ("", "the command is empty"),
        ("no-such-program-anywhere {input} {output}", "program 'no-such-program-anywhere' of the command is not found"),
        ("sh {input}", "the command names {input} only; give both {input} and {output}"),
        ("sh {output}", "the command names {output} only"),
    ],
)
def test_a_command_that_cannot_work_is_refused_at_once(command: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CommandAdapter(command)


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, float("nan")])
def test_a_timeout_must_be_a_time(timeout_s: float) -> None:
    with pytest.raises(ValueError, match="timeout_s must be above 0 s"):
        shell("true", timeout_s=timeout_s)


@pytest.mark.parametrize(
    "command, name",
    [
        ("python -m my_detector", "my_detector"),
        ("python /opt/my/detect.py {input} {output} --fast", "detect"),
        ("sh", "sh"),
        ("/bin/sh {input} {output}", "sh"),
    ],
)
def test_a_detector_has_a_name(command: str, name: str) -> None:
    assert CommandAdapter(command).name == name
    assert CommandAdapter(command, name="mine").name == "mine"


def in_folder(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


FILES = {
    "detect.py": "import sys, near, package.part\ndef f():\n    from package import data\n    import deep.down.below",
    "near.py": "import numpy",
    "package/__init__.py": "from . import again",
    "package/part.py": "from .sub import more",
    "package/again.py": "",
    "package/data.py": "",
    "package/sub/__init__.py": "",
    "package/sub/more.py": "from ..again import x",
    "deep/down/below.py": "from ... import too_far",
    "weights.bin": "1",
    "apart.py": "",
    "package/other.py": "",
    "too_far.py": "",
}
SEEN = sorted(set(FILES) - {"apart.py", "package/other.py", "too_far.py"})


@pytest.mark.parametrize("changed", sorted(FILES))
def test_the_fingerprint_covers_the_files_that_can_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    in_folder(tmp_path, FILES)
    adapter = CommandAdapter(f"{sys.executable} detect.py --weights=weights.bin")
    before = adapter.fingerprint()
    assert before is not None
    assert before == CommandAdapter(f"{sys.executable} detect.py --weights=weights.bin").fingerprint()
    (tmp_path / changed).write_text(FILES[changed] + "\n# changed\n")
    assert (adapter.fingerprint() != before) == (changed in SEEN)


def test_what_the_fingerprint_rests_on_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    in_folder(tmp_path, {"detect.sh": "", "weights.bin": ""})
    adapter = CommandAdapter("sh detect.sh weights.bin")
    assert adapter.take_remarks() == [
        "detect: stored results hold while detect.sh, weights.bin stay the same; what the program loads besides is not "
        "seen, so give a version where that may change"
    ]
    assert adapter.take_remarks() == []
    assert CommandAdapter("sh detect.sh", version="1").take_remarks() == []
    assert CommandAdapter("python -m detect").take_remarks() == []


@pytest.mark.parametrize(
    "command",
    [
        "python -m mine",
        f"{sys.executable} -m mine",
        f"{sys.executable} -c 'import mine'",
        "/bin/sh -c 'mine $0 $1'",
        "./stub",
        "sh",
        "sh detect.sh models",
    ],
)
def test_code_that_cannot_be_seen_has_no_fingerprint_but_by_a_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    in_folder(tmp_path, {"stub": "#!/usr/bin/python3\nimport mine", "detect.sh": "", "models/a": ""})
    (tmp_path / "stub").chmod(0o755)
    assert CommandAdapter(command).fingerprint() is None
    versions = {CommandAdapter(command, version=version).fingerprint() for version in ("1", "2")}
    assert None not in versions
    assert len(versions) == 2


def test_a_compiled_program_is_its_own_fingerprint(tmp_path: Path) -> None:
    program = tmp_path / "detector"
    program.write_bytes(b"\x7fELF 1")
    program.chmod(0o755)
    first = CommandAdapter(str(program)).fingerprint()
    program.write_bytes(b"\x7fELF 2")
    assert None is not first != CommandAdapter(str(program)).fingerprint() is not None


def test_a_script_for_another_python_is_covered_itself(tmp_path: Path) -> None:
    program = write_program(tmp_path, "print 'two'\n")
    first = CommandAdapter(f"{sys.executable} {shlex.quote(str(program))}").fingerprint()
    program.write_text("print 'too'\n")
    assert first != CommandAdapter(f"{sys.executable} {shlex.quote(str(program))}").fingerprint()


@pytest.mark.parametrize(
    "device, visible, expected",
    [
        ("cpu", None, None),
        ("cpu", "3", None),
        ("mps", None, None),
        ("cuda", None, "0"),
        ("cuda:2", None, "2"),
        ("cuda:1", "4,7", "7"),
        ("cuda", "GPU-8a56a4bc, GPU-1234", "GPU-8a56a4bc"),
    ],
)
def test_the_device_names_a_gpu_among_the_visible_ones(device: str, visible: str | None, expected: str | None) -> None:
    assert visible_gpu(device, {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}) == expected


@pytest.mark.parametrize("visible", ["", "-1", "5"])
def test_a_gpu_that_is_not_visible_is_an_error(visible: str) -> None:
    with pytest.raises(ValueError, match=r"device cuda:1: CUDA_VISIBLE_DEVICES=.* shows [01] GPUs"):
        visible_gpu("cuda:1", {"CUDA_VISIBLE_DEVICES": visible})


@pytest.mark.parametrize("device, expected", [("cpu", "-1"), ("cuda:1", "6")])
def test_the_program_sees_its_gpu_only(monkeypatch: pytest.MonkeyPatch, device: str, expected: str) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,6")
    with pytest.raises(CommandError, match=rf"its last lines:\n  GPU {expected}$"):
        detect(shell("echo GPU $CUDA_VISIBLE_DEVICES", device=device))
