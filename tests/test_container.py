"""A detector that is a container image: the command lines, and the whole path through an engine that is a script."""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from file_detectors import LOUD, FakeEngine, gone, write_program
from tiny import make_eeg

from pytest_robustseiz.adapters import Adapter, CommandError, ContainerAdapter, Measuring
from pytest_robustseiz.adapters.command_files import Job
from pytest_robustseiz.montage import ELECTRODES
from pytest_robustseiz.scoring import mask_to_events

IMAGE = "ghcr.io/group/loud:latest"
HERE = {IMAGE: {"id": "abc123", "cmd": "true", "here": True}}
JOB = Job(Path("/private/robustseiz-x1"))  # a name only; no such folder is needed
MOUNTS = ["--volume", "/private/robustseiz-x1/data:/data:ro", "--volume", "/private/robustseiz-x1/output:/output"]
NAMES = ["--env", "INPUT=input.edf", "--env", "OUTPUT=output.tsv"]
HEADER = r"onset\tduration\teventType\n"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder in which private folders are made; no engine, GPU or share of the cores from outside."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    for name in ("CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return folder


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str = "docker") -> FakeEngine:
    """Put an engine on PATH, beside the usual programs but for other engines."""
    engine = FakeEngine(tmp_path / name, name)
    monkeypatch.setenv("PATH", os.pathsep.join([str(engine.programs), "/usr/bin", "/bin"]))
    engine.offer(HERE)
    return engine


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    return install(tmp_path, monkeypatch)


@pytest.fixture
def podman(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    return install(tmp_path, monkeypatch, "podman")


def offer(engine: FakeEngine, command: str) -> None:
    engine.offer({IMAGE: {"id": "abc123", "cmd": command, "here": True}})


def detect(adapter: ContainerAdapter, eeg: np.ndarray | None = None) -> np.ndarray:
    recording = np.zeros((19, 2560), dtype=np.float32) if eeg is None else eeg
    return adapter.detect(recording, 256.0, ELECTRODES)


def nothing_is_left(engine: FakeEngine, temporary: Path) -> bool:
    """Neither a container nor a private folder."""
    return not engine.containers() and not list(temporary.iterdir())


def as_user(monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    monkeypatch.setattr("os.getuid", lambda: uid)
    monkeypatch.setattr("os.getgid", lambda: uid + 1)


@pytest.mark.parametrize(
    "device, gpu", [("cpu", []), ("cuda:1", ["--gpus", "device=1"]), ("cuda", ["--gpus", "device=0"])]
)
def test_the_command_line_of_docker(
    docker: FakeEngine, monkeypatch: pytest.MonkeyPatch, device: str, gpu: list[str]
) -> None:
    as_user(monkeypatch, 1000)
    start = ["docker", "run", "--rm", "--name", "robustseiz-x1", "--network", "none", "--pull", "never"]
    expected = [*start, "--user", "1000:1001", *gpu, *MOUNTS, *NAMES, "abc123"]
    assert ContainerAdapter(IMAGE, device=device).command(JOB) == expected


@pytest.mark.parametrize(
    "device, gpu", [("cpu", []), ("cuda:1", ["--device", "nvidia.com/gpu=1"])]
)  # fmt: skip
def test_the_command_line_of_podman(
    podman: FakeEngine, monkeypatch: pytest.MonkeyPatch, device: str, gpu: list[str]
) -> None:
    as_user(monkeypatch, 1000)
    start = ["podman", "run", "--rm", "--name", "robustseiz-x1", "--network", "none", "--pull", "never"]
    user = ["--user", "1000:1001", "--userns", "keep-id", "--security-opt", "label=disable"]
    expected = [*start, *user, *gpu, *MOUNTS, *NAMES, "abc123"]
    assert ContainerAdapter(IMAGE, device=device).command(JOB) == expected


@pytest.mark.parametrize("name, extra", [("docker", []), ("podman", ["--security-opt", "label=disable"])])
def test_root_leaves_the_user_to_the_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, extra: list[str]
) -> None:
    install(tmp_path, monkeypatch, name)
    as_user(monkeypatch, 0)
    start = [name, "run", "--rm", "--name", "robustseiz-x1", "--network", "none", "--pull", "never"]
    assert ContainerAdapter(IMAGE).command(JOB) == [*start, *extra, *MOUNTS, *NAMES, "abc123"]


def test_cores_gpu_and_further_options_reach_the_container(docker: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    as_user(monkeypatch, 1000)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,GPU-12ab")
    adapter = ContainerAdapter(IMAGE, device="cuda:1", options=("--shm-size", "1g"))
    expected = [
        "--gpus",
        "device=GPU-12ab",
        *MOUNTS,
        *NAMES,
        "--env",
        "OMP_NUM_THREADS=3",
        "--shm-size",
        "1g",
        "abc123",
    ]
    assert adapter.command(JOB)[-len(expected) :] == expected


def test_an_image_is_an_adapter_with_a_name(docker: FakeEngine) -> None:
    adapter = ContainerAdapter("registry.example:5000/group/loud:1.0")
    assert isinstance(adapter, Adapter)
    assert isinstance(adapter, Measuring)
    assert adapter.name == "loud:1.0"
    assert adapter.montages == ("unipolar",)
    assert docker.calls() == []


def test_the_whole_path_with_a_program_in_a_container(docker: FakeEngine, tmp_path: Path, temporary: Path) -> None:
    pytest.importorskip("pyedflib", reason="the program reads with it; comes with the extra convert")
    program = write_program(tmp_path, LOUD)
    offer(docker, f'exec {sys.executable} {program} "/data/$INPUT" "/output/$OUTPUT"')
    eeg = make_eeg([(20.0, 30.0), (50.0, 53.0)], 60, seed=0).astype(np.float32)
    adapter = ContainerAdapter(IMAGE)
    for _ in range(2):
        found = adapter.detect_measured(eeg, 256.0, ELECTRODES)
        assert mask_to_events(np.asarray(found.mask), 256.0) == [(20.0, 30.0), (50.0, 53.0)]
        assert 0 < found.figures["edf_error_rms_uv"] < 0.02
    assert [call[1] for call in docker.calls()] == ["image", "run", "run"]
    first, second = (call[call.index("--name") + 1] for call in docker.calls()[1:])
    assert first != second
    assert nothing_is_left(docker, temporary)


def test_any_user_may_write_the_table_and_nobody_else_may_look(docker: FakeEngine, tmp_path: Path) -> None:
    """The image's own user writes where the caller is root, or where an engine without root numbers users anew."""
    offer(docker, f"stat -c %a /data/.. /output/ > {tmp_path}/modes; printf '{HEADER}' > /output/$OUTPUT")
    detect(ContainerAdapter(IMAGE))
    assert (tmp_path / "modes").read_text().split() == ["700", "777"]


def test_a_timeout_removes_the_container(docker: FakeEngine, tmp_path: Path, temporary: Path) -> None:
    offer(docker, f"echo begun; sleep 300 & echo $! > {tmp_path}/child; wait")
    adapter = ContainerAdapter(IMAGE, timeout_s=3.0)
    with pytest.raises(
        CommandError, match=r"docker run .* abc123 took longer than 3 s and was ended\nits last lines:\n  begun$"
    ):
        detect(adapter)
    name = docker.calls()[1][docker.calls()[1].index("--name") + 1]
    assert docker.calls()[-1] == ["docker", "rm", "--force", name]
    assert nothing_is_left(docker, temporary)
    assert gone(tmp_path / "child")


def test_an_interrupted_run_removes_the_container(
    docker: FakeEngine, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: object, **options: object) -> int:
        raise KeyboardInterrupt("Ctrl+C")

    monkeypatch.setattr("pytest_robustseiz.adapters.command_files.run_program", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"Ctrl\+C"):
        detect(ContainerAdapter(IMAGE))
    assert docker.calls()[-1][:3] == ["docker", "rm", "--force"]
    assert nothing_is_left(docker, temporary)


@pytest.mark.parametrize(
    "command, message",
    [
        ("echo oh no; exit 4", r"abc123 ended with exit status 4\nits last lines:\n  oh no$"),
        ("kill -KILL $$", r"was ended by SIGKILL, as the system does when memory runs out \(exit status 137\)"),
        ("true", r"left no table at \S*output\.tsv; its output folder holds nothing"),
        (": > /output/$OUTPUT", r"left a table that breaks the rules"),
    ],
)
def test_a_failing_container_is_an_error(docker: FakeEngine, temporary: Path, command: str, message: str) -> None:
    offer(docker, command)
    with pytest.raises(CommandError, match=message):
        detect(ContainerAdapter(IMAGE))
    assert nothing_is_left(docker, temporary)


def test_a_container_that_cannot_be_removed_is_said(docker: FakeEngine) -> None:
    offer(docker, "exit 1")
    engine = docker.programs / "docker"
    engine.write_text(engine.read_text().replace('"rm":', '"rm":\n    stop("daemon does not answer")'))
    with pytest.raises(
        CommandError, match=r"exit status 1 \(its container robustseiz-\S+ may still run: daemon does not answer\)"
    ):
        detect(ContainerAdapter(IMAGE))


def fetched(engine: FakeEngine) -> list[str]:
    return [call[1] for call in engine.calls()]


@pytest.mark.parametrize(
    "here, pull, calls",
    [
        (True, "missing", ["image"]),
        (False, "missing", ["image", "pull", "image"]),
        (True, "always", ["pull", "image"]),
        (False, "always", ["pull", "image"]),
        (True, "never", ["image"]),
    ],
)
def test_an_image_is_fetched_once_as_the_policy_says(
    docker: FakeEngine, here: bool, pull: Any, calls: list[str]
) -> None:
    docker.offer({IMAGE: {"id": "abc123", "cmd": f"printf '{HEADER}' > /output/$OUTPUT", "here": here}})
    adapter = ContainerAdapter(IMAGE, pull=pull)
    assert adapter.fingerprint()
    assert not detect(adapter).any()
    assert not detect(adapter).any()
    assert fetched(docker) == [*calls, "run", "run"]


@pytest.mark.parametrize(
    "image, pull, message",
    [
        (IMAGE, "never", r"docker has no image ghcr\S+ \(.*No such image.*\); fetch it by `docker pull ghcr\S+`"),
        ("nowhere/none", "missing", "docker pull nowhere/none failed: .*manifest unknown"),
        ("nowhere/none", "always", "docker pull nowhere/none failed: .*manifest unknown"),
    ],
)
def test_an_image_that_cannot_be_had_is_an_error(docker: FakeEngine, image: str, pull: Any, message: str) -> None:
    docker.offer({IMAGE: {"id": "abc123", "cmd": "true", "here": False}})
    with pytest.raises(CommandError, match=message):
        ContainerAdapter(image, pull=pull).fingerprint()


def test_the_fingerprint_is_the_content_of_the_image_and_the_options(docker: FakeEngine) -> None:
    other = {**HERE, "same:1": HERE[IMAGE], "other:1": {"id": "def456", "cmd": "true", "here": True}}
    docker.offer(other)
    mine = ContainerAdapter(IMAGE).fingerprint()
    assert mine == ContainerAdapter("same:1").fingerprint()
    assert mine != ContainerAdapter("other:1").fingerprint()
    assert mine != ContainerAdapter(IMAGE, options=("--env", "THRESHOLD=0.9")).fingerprint()


def test_a_tag_that_moves_does_not_change_what_runs(docker: FakeEngine) -> None:
    adapter = ContainerAdapter(IMAGE)
    first = adapter.fingerprint()
    docker.offer({IMAGE: {"id": "def456", "cmd": "true", "here": True}})
    assert adapter.command(JOB)[-1] == "abc123"
    assert adapter.fingerprint() == first


def test_the_engine_is_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"neither docker nor podman is on PATH; install one .*CommandAdapter"):
        ContainerAdapter(IMAGE)
    podman = install(tmp_path, monkeypatch, "podman")
    monkeypatch.setenv("PATH", str(podman.programs))
    assert ContainerAdapter(IMAGE).engine == "podman"
    with pytest.raises(ValueError, match="docker is not on PATH; install one"):
        ContainerAdapter(IMAGE, engine="docker")
    docker = FakeEngine(tmp_path / "docker")
    monkeypatch.setenv("PATH", os.pathsep.join([str(podman.programs), str(docker.programs)]))
    assert ContainerAdapter(IMAGE).engine == "docker"
    assert ContainerAdapter(IMAGE, engine="podman").engine == "podman"


@pytest.mark.parametrize(
    "image, options, message",
    [
        ("", {}, "image must be a name such as"),
        ("--privileged", {}, "image must be a name such as .* got '--privileged'"),
        (IMAGE, {"engine": "runc"}, "engine must be docker or podman, got 'runc'"),
        (IMAGE, {"pull": "sometimes"}, "pull must be one of missing, always, never, got 'sometimes'"),
    ],
)
def test_a_wrong_option_is_an_error(docker: FakeEngine, image: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ContainerAdapter(image, **options)
