"""Results on disk: each case is computed once, by whoever comes first."""

import hashlib
import json
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from pytest_robustseiz.results import CaseResult


@dataclass(frozen=True)
class Wanted:
    """A result that somebody asks for.

    Attributes
    ----------
    key : str
        Hash of everything that can change it.
    compute : callable
        Computes it.
    lasting : bool
        Whether the key means the same in later sessions and other processes; else the result stays in memory.
    """

    key: str
    compute: Callable[[], CaseResult]
    lasting: bool = True


class Store:
    """Results by key, in a folder that processes and machines may share.

    A result is looked up; else its lock is taken, it is computed, written in one step, and the lock is released.
    The locks are released by the operating system when a process dies.

    Parameters
    ----------
    folder : Path
        Made when the first result is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._memory: dict[str, CaseResult] = {}
        self._failed: dict[str, Exception] = {}

    def get(self, wanted: Wanted) -> CaseResult:
        """Return one result, computing it when nobody has.

        Raises
        ------
        Exception
            What computing it raised, also when it is asked for again in this process.
        """
        return self.get_all([wanted])[0]

    def get_all(self, wanted: Sequence[Wanted]) -> list[CaseResult]:
        """Return several results in order.

        What another process is computing is left for last, so that processes that want the same share the work.
        """
        waiting = list(wanted)
        patient = False
        while waiting:
            held = [item for item in waiting if not self._settle(item, wait=patient and item is waiting[0])]
            patient = len(held) == len(waiting)
            waiting = held
        return [self._memory[item.key] for item in wanted]

    def _settle(self, item: Wanted, *, wait: bool) -> bool:
        """Bring a result into memory; False when another process holds it and we are not to wait."""
        if item.key in self._failed:
            raise self._failed[item.key]
        if item.key in self._memory:
            return True
        found = self._read(item) if item.lasting else None
        if found is None and item.lasting:
            try:
                with self._lock(item.key, timeout=-1 if wait else 0):
                    found = self._read(item) or self._compute(item)
            except Timeout:
                return False
        self._memory[item.key] = found or self._compute(item)
        return True

    def _compute(self, item: Wanted) -> CaseResult:
        try:
            result = item.compute()
        except Exception as error:
            _forget_frames(next(reversed(self._failed.values()), None))
            self._failed[item.key] = error
            raise
        if item.lasting:
            write_atomically(self._path(item.key), result.to_json())
        return result

    def _read(self, item: Wanted) -> CaseResult | None:
        try:
            return CaseResult.from_json(self._path(item.key).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            # Written by hand or damaged on disk: it is computed again and replaced.
            return None

    def _path(self, key: str) -> Path:
        return self.folder / "cases" / key[:2] / f"{key}.json"

    @contextmanager
    def _lock(self, key: str, *, timeout: float) -> Iterator[None]:
        path = self._path(key).with_suffix(".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path, timeout=timeout):
            yield


def _forget_frames(error: BaseException | None) -> None:
    """Let go of what an exception that has been reported holds: the arrays of all functions that it came through."""
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


class ContentHashes:
    """SHA-256 of files, remembered by path, size and time of change, so that a corpus is not hashed at each start.

    Parameters
    ----------
    folder : Path
        Of the store.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "content"
        self._known: dict[Path, str] = {}

    def of(self, *files: Path) -> str:
        """Hash of the contents of one or more files.

        Raises
        ------
        OSError
            When a file cannot be read.
        """
        hashes = [self._known.get(path) or self._remember(path) for path in files]
        return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()

    def _remember(self, path: Path) -> str:
        status = path.stat()
        place = str(path.resolve())
        state: list[str | int] = [place, status.st_size, status.st_mtime_ns]
        note = self.folder / f"{hashlib.sha256(place.encode()).hexdigest()}.json"
        digest = _noted(note, state)
        if digest is None:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            write_atomically(note, json.dumps([*state, digest]))
        self._known[path] = digest
        return digest


def _noted(note: Path, state: list[str | int]) -> str | None:
    try:
        *known, digest = json.loads(note.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return str(digest) if known == state else None


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that others see all of it or nothing.

    Parameters
    ----------
    path : Path
        Its folder is made when it is missing.
    text : str
        Written as UTF-8.
    """
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Write a file as `write_atomically` does.

    Parameters
    ----------
    path : Path
        Its folder is made when it is missing.
    content : bytes
        What is to be in it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        temporary.write_bytes(content)
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
