"""A detector that is a program: it reads an EDF file and writes a table of events."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence

from pytest_robustseiz.adapters.command_files import TIMEOUT_S, FileAdapter, Job
from pytest_robustseiz.adapters.command_sources import code_is_named, content_hashes, default_name, named_files
from pytest_robustseiz.adapters.contract import Montage
from pytest_robustseiz.adapters.fingerprints import fingerprint

PLACES = ("{input}", "{output}")


class CommandAdapter(FileAdapter):
    """Runs any program that reads an EDF file and writes a table of events, as those of SzCORE do.

    Parameters
    ----------
    command : str or sequence of str
        Program and arguments, in a string as a shell would split it (no shell runs it). "{input}" and "{output}" stand
        for the paths of the EDF file and of the table; without them both are appended in this order. The environment
        has them too, as INPUT and OUTPUT.
    name : str, optional
        What the registry calls the detector; by default the module behind "-m", the script, or the program.
    montages : tuple of {"unipolar", "bipolar"}
        What it accepts. By default 19 electrodes in common average, as on the platform.
    timeout_s : float
        Seconds that one recording may take.
    version : str, optional
        Changes whenever an answer of the program may change, such as a version or the hash of a commit.
    device : str
        "cuda:1" leaves the program the second of the visible GPUs, "cpu" none.

    Raises
    ------
    ValueError
        When the command is empty or has one placeholder without the other, when its program is not found, or the GPU
        is not visible.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        montages: tuple[Montage, ...] = ("unipolar",),
        timeout_s: float = TIMEOUT_S,
        version: str | None = None,
        device: str = "cpu",
    ) -> None:
        self.words = _template(command)
        super().__init__(name or default_name(self.words), montages, timeout_s)
        self.version = version
        self.gpu = visible_gpu(device, os.environ)
        self._said = False

    def command(self, job: Job) -> list[str]:
        """The template with the paths of a call."""
        paths = (str(job.recording), str(job.table))
        return [word.replace(PLACES[0], paths[0]).replace(PLACES[1], paths[1]) for word in self.words]

    def environment(self, job: Job) -> dict[str, str]:
        """Ours, with the paths of a call and the GPU that it may use."""
        own = {"INPUT": str(job.recording), "OUTPUT": str(job.table)}
        return {**os.environ, **own, "CUDA_VISIBLE_DEVICES": self.gpu or "-1"}

    def fingerprint(self) -> str | None:
        """Hash of the command, of the files that it names, and of `version`.

        Returns
        -------
        str or None
            None where `version` is not given and the code is in none of the files, as for `python -m my_detector`.
        """
        if self.version is None and not code_is_named(self.words):
            return None
        return fingerprint("command", self.words, self.version, content_hashes(named_files(self.words)))

    def take_remarks(self) -> list[str]:
        """Say once what the fingerprint rests on, where that is not a version."""
        if self._said or self.version is not None or not code_is_named(self.words):
            return []
        self._said = True
        names = ", ".join(path.name for path in named_files(self.words))
        return [
            f"{self.name}: stored results hold while {names} stay the same; what the program loads besides is not "
            "seen, so give a version where that may change"
        ]


def visible_gpu(device: str, environment: Mapping[str, str]) -> str | None:
    """Name for the driver of the GPU that torch calls "cuda:1".

    Parameters
    ----------
    device : str
        "cuda:1", "cuda" or another device.
    environment : mapping of str to str
        Whose CUDA_VISIBLE_DEVICES counts, where it has one.

    Returns
    -------
    str or None
        An index or an identifier; None where the device is no GPU of CUDA.

    Raises
    ------
    ValueError
        When fewer GPUs are visible.
    """
    kind, _, index = device.partition(":")
    if kind != "cuda":
        return None
    number = int(index or 0)
    given = environment.get("CUDA_VISIBLE_DEVICES")
    if given is None:
        return str(number)
    visible = [part.strip() for part in given.split(",") if part.strip() not in ("", "-1")]
    if number >= len(visible):
        raise ValueError(f"device {device}: CUDA_VISIBLE_DEVICES={given!r} shows {len(visible)} GPUs")
    return visible[number]


def _template(command: str | Sequence[str]) -> tuple[str, ...]:
    words = tuple(shlex.split(command) if isinstance(command, str) else command)
    if not words:
        raise ValueError("the command is empty; expected a program, such as 'python -m my_detector {input} {output}'")
    if shutil.which(words[0]) is None:
        raise ValueError(f"program {words[0]!r} of the command is not found, or is not executable; give its path")
    used = [place for place in PLACES if any(place in word for word in words)]
    if len(used) == 1:
        raise ValueError(f"the command names {used[0]} only; give both {' and '.join(PLACES)}, or none to append both")
    return words if used else (*words, *PLACES)
