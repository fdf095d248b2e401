"""A detector that is a container image of the SzCORE platform, run by docker or podman."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, get_args

from pytest_robustseiz.adapters.command import visible_gpu
from pytest_robustseiz.adapters.command_files import TIMEOUT_S, FileAdapter, Job
from pytest_robustseiz.adapters.command_run import CommandError
from pytest_robustseiz.adapters.contract import Montage
from pytest_robustseiz.adapters.fingerprints import fingerprint

Engine = Literal["docker", "podman"]
Pull = Literal["missing", "always", "never"]
_REMOVE_TIMEOUT_S = 60


class ContainerAdapter(FileAdapter):
    """Runs an image as the SzCORE platform does: `/data/$INPUT` is the EDF file, `/output/$OUTPUT` the table.

    The input is mounted read-only, there is no network, and the program is the caller, or the image's own user where
    the caller is root. The folders are below the temporary folder (TMPDIR), which the engine must be able to mount.

    Parameters
    ----------
    image : str
        Such as "ghcr.io/esl-epfl/gotman_1982:latest".
    engine : {"docker", "podman"}, optional
        By default the first of them that is installed.
    name : str, optional
        What the registry calls the detector; by default the image without its registry.
    montages : tuple of {"unipolar", "bipolar"}
        What it accepts. By default 19 electrodes in common average, as on the platform.
    timeout_s : float
        Seconds that one recording may take.
    pull : {"missing", "always", "never"}
        When to fetch the image: once per process, before the first recording.
    device : str
        "cuda:1" gives the container the second of the visible GPUs, "cpu" none.
    options : sequence of str
        Further options of `docker run`, such as ("--shm-size", "1g").

    Raises
    ------
    ValueError
        When the image has no name, an option is unknown, no engine is installed, or the GPU is not visible.
    """

    def __init__(
        self,
        image: str,
        *,
        engine: Engine | None = None,
        name: str | None = None,
        montages: tuple[Montage, ...] = ("unipolar",),
        timeout_s: float = TIMEOUT_S,
        pull: Pull = "missing",
        device: str = "cpu",
        options: Sequence[str] = (),
    ) -> None:
        if not image or image.startswith("-"):
            raise ValueError(f"image must be a name such as ghcr.io/esl-epfl/gotman_1982:latest, got {image!r}")
        if pull not in get_args(Pull):
            raise ValueError(f"pull must be one of {', '.join(get_args(Pull))}, got {pull!r}")
        super().__init__(name or image.rpartition("/")[2], montages, timeout_s)
        self.image = image
        self.engine = find_engine(engine)
        self.pull = pull
        self.gpu = visible_gpu(device, os.environ)
        self.options = tuple(options)

    def command(self, job: Job) -> list[str]:
        """`docker run` with the folders of a call."""
        return [
            *(self.engine, "run", "--rm", "--name", job.folder.name, "--network", "none", "--pull", "never"),
            *self._user(),
            *self._gpu(),
            *("--volume", f"{job.data}:/data:ro", "--volume", f"{job.output}:/output"),
            *("--env", f"INPUT={job.recording.name}", "--env", f"OUTPUT={job.table.name}"),
            *_threads(),
            *self.options,
            self.image_id,
        ]

    def fingerprint(self) -> str | None:
        """Hash of the image's content and of the further options."""
        return fingerprint("container", self.image_id, self.options)

    @cached_property
    def image_id(self) -> str:
        """Digest of the image, taken once, so that all calls run the same one though its tag may move.

        Raises
        ------
        CommandError
            When the image is not there and cannot be fetched, or the engine does not answer.
        """
        if self.pull == "always":
            self._fetch()
        found = self._ask("image", "inspect", "--format", "{{.Id}}", self.image)
        if found.returncode and self.pull == "missing":
            self._fetch()
            found = self._ask("image", "inspect", "--format", "{{.Id}}", self.image)
        if found.returncode:
            raise CommandError(
                f"{self.engine} has no image {self.image} ({found.stderr.strip()}); "
                f"fetch it by `{self.engine} pull {self.image}`"
            )
        return found.stdout.strip().removeprefix("sha256:")  # docker writes the prefix, podman does not

    def abandon(self, job: Job) -> str:
        """Remove the container: ending the client does not end what the engine runs."""
        name = job.folder.name
        done = self._ask("rm", "--force", name, timeout_s=_REMOVE_TIMEOUT_S)
        if not done.returncode or "no such container" in done.stderr.lower():
            return ""
        return f" (its container {name} may still run: {done.stderr.strip()})"

    def _user(self) -> list[str]:
        caller = [] if os.getuid() == 0 else ["--user", f"{os.getuid()}:{os.getgid()}"]
        if self.engine == "docker":
            return caller
        # Podman numbers users in its own way when a user calls it; SELinux would keep mounts and GPUs out.
        return [*caller, *(["--userns", "keep-id"] if caller else []), "--security-opt", "label=disable"]

    def _gpu(self) -> list[str]:
        if self.gpu is None:
            return []
        return (
            ["--gpus", f"device={self.gpu}"] if self.engine == "docker" else ["--device", f"nvidia.com/gpu={self.gpu}"]
        )

    def _fetch(self) -> None:
        done = self._ask("pull", self.image)
        if done.returncode:
            raise CommandError(f"{self.engine} pull {self.image} failed: {done.stderr.strip()}")

    def _ask(self, *arguments: str, timeout_s: float | None = None) -> "subprocess.CompletedProcess[str]":
        command = [self.engine, *arguments]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(command, returncode=1, stdout="", stderr=str(error))


def find_engine(engine: str | None) -> str:
    """Name of the program that runs containers.

    Parameters
    ----------
    engine : {"docker", "podman"} or None
        The one to use; None takes the first that is installed.

    Raises
    ------
    ValueError
        When it is not installed, or unknown.
    """
    known = get_args(Engine)
    if engine is not None and engine not in known:
        raise ValueError(f"engine must be {' or '.join(known)}, got {engine!r}")
    found = [name for name in ([engine] if engine else known) if shutil.which(name)]
    if not found:
        raise ValueError(
            f"{f'{engine} is not' if engine else 'neither docker nor podman is'} on PATH; install one (https://docs.docker.com/engine/"
            "install, https://podman.io/docs/installation), or run the detector's own program with CommandAdapter"
        )
    return found[0]


def _threads() -> list[str]:
    """The share of the cores that this worker has, where one is set: a container does not inherit it."""
    threads = os.environ.get("OMP_NUM_THREADS")
    return ["--env", f"OMP_NUM_THREADS={threads}"] if threads else []
