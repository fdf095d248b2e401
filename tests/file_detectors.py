"""Programs that keep the contract of SzCORE, and an engine that runs them as docker would; they know nothing of us."""

import json
import os
import sys
import time
from pathlib import Path

# Says seizure where Fp1 is loud for a second, as the detector in tiny.py does.
LOUD = """
import sys

import numpy as np
import pyedflib


def main(recording, table):
    reader = pyedflib.EdfReader(recording)
    index = reader.getSignalLabels().index("Fp1-Avg")
    sfreq = int(reader.getSampleFrequency(index))
    signal = reader.readSignal(index)
    seconds = signal[: signal.size // sfreq * sfreq].reshape(-1, sfreq)
    loud = np.concatenate([[False], seconds.std(axis=1) > 40.0, [False]])
    edges = np.flatnonzero(loud[1:] != loud[:-1])
    with open(table, "w") as file:
        file.write("onset\\tduration\\teventType\\tconfidence\\tchannels\\tdateTime\\trecordingDuration\\n")
        for start, stop in zip(edges[::2], edges[1::2]):
            file.write(f"{start:.2f}\\t{stop - start:.2f}\\tsz\\tn/a\\tn/a\\tn/a\\t{signal.size / sfreq:.2f}\\n")


main(*sys.argv[1:])
"""

# Keeps images and running containers in a folder. A container is in a session of its own, as below a daemon, so that
# it outlives the client; it has the mounts, the environment that was asked for, and nothing else.
ENGINE = """#!{python} -SE
import json, os, pathlib, signal, subprocess, sys

state = pathlib.Path({state!r})
arguments = sys.argv[1:]
with open(state / "calls.jsonl", "a") as log:
    log.write(json.dumps([pathlib.Path(sys.argv[0]).name, *arguments]) + "\\n")
images = json.loads((state / "images.json").read_text())


def stop(message, status=1):
    print(message, file=sys.stderr)
    sys.exit(status)


if arguments[:2] == ["image", "inspect"]:
    name = arguments[-1]
    if name not in images or not images[name]["here"]:
        stop("Error response from daemon: No such image: " + name)
    print("sha256:" + images[name]["id"])
elif arguments[0] == "pull":
    if arguments[1] not in images:
        stop("Error response from daemon: manifest unknown")
    images[arguments[1]]["here"] = True
    (state / "images.json").write_text(json.dumps(images))
elif arguments[0] == "rm":
    container = state / arguments[-1]
    if not container.exists():
        stop("Error response from daemon: No such container: " + arguments[-1])
    os.killpg(int(container.read_text()), signal.SIGKILL)
    container.unlink()
else:
    assert arguments.pop(0) == "run"
    image = arguments.pop()
    values = {{}}
    while arguments:
        option = arguments.pop(0)
        values.setdefault(option, []).append("" if option == "--rm" else arguments.pop(0))
    mounts = {{}}
    for volume in values["--volume"]:
        source, target, *mode = volume.split(":")
        mounts[target] = source
        if mode == ["ro"]:
            os.chmod(source, 0o555)
    [command] = [entry["cmd"] for entry in images.values() if entry["id"] == image]
    for target, source in mounts.items():
        command = command.replace(target + "/", source + "/")
    environment = dict(text.split("=", 1) for text in values["--env"])
    program = subprocess.Popen(["sh", "-c", command], env=environment, start_new_session=True)
    container = state / values["--name"][0]
    container.write_text(str(program.pid))
    status = program.wait()
    container.unlink(missing_ok=True)
    sys.exit(status if status >= 0 else 128 - status)
"""


class FakeEngine:
    """An engine on PATH.

    Parameters
    ----------
    folder : Path
        Gets the program and what it remembers.
    name : str
        "docker" or "podman".
    """

    def __init__(self, folder: Path, name: str = "docker") -> None:
        self.state = folder / "state"
        self.programs = folder / "bin"
        self.state.mkdir(parents=True)
        self.programs.mkdir()
        program = self.programs / name
        program.write_text(ENGINE.format(python=sys.executable, state=str(self.state)))
        program.chmod(0o755)
        self.offer({})

    def offer(self, images: dict[str, dict[str, object]]) -> None:
        """Set the images: by name their id, command, and whether they are here."""
        (self.state / "images.json").write_text(json.dumps(images))

    def calls(self) -> list[list[str]]:
        """Command lines since the beginning."""
        path = self.state / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def containers(self) -> list[str]:
        """Names of containers that run."""
        return [path.name for path in self.state.iterdir() if path.suffix not in (".json", ".jsonl")]


def write_program(folder: Path, source: str, name: str = "detector.py") -> Path:
    """Write a script."""
    path = folder / name
    path.write_text(source, encoding="utf-8")
    return path


def gone(path: Path) -> bool:
    """Whether the process whose id is in a file ends within a moment: the system takes its time to end one."""
    pid = int(path.read_text())
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


def is_running(pid: int) -> bool:
    """Whether a process does anything: one that ended may wait for its parent to look."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
