"""Running a program that may hang, crash or leave children behind. For systems with process groups, so not Windows."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

LINES_SHOWN = 20
_BYTES_SHOWN = 8192
_LOOK_S = 0.1  # how often to look for Ctrl+C


class CommandError(RuntimeError):
    """A program did not keep the contract; the message shows its command, how it ended and its last lines."""


def run_program(command: Sequence[str], *, environment: Mapping[str, str], log: Path, timeout_s: float) -> int:
    """Run a program to its end, and end whatever it started.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    environment : mapping of str to str
        All of its environment.
    log : Path
        File that gets what it prints. No pipe: a child that outlives the program would keep it open.
    timeout_s : float
        Seconds after which it is ended.

    Returns
    -------
    int
        Exit status; below zero the number of the signal that ended it.

    Raises
    ------
    subprocess.TimeoutExpired
        When it took longer.
    OSError
        When it cannot be started.
    """
    with log.open("wb") as output, _interrupts_held() as held:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        try:
            return _wait(process, timeout_s, held)
        finally:
            _end_group(process)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[list[int]]:
    """Note Ctrl+C in a list, and raise it at the end.

    Popen is not safe against it: within its constructor it leaves a program behind that nobody knows of, within its
    wait a lock that is never released.
    """
    held: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield held
        return
    signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if held:
            raise KeyboardInterrupt


def _wait(process: "subprocess.Popen[bytes]", timeout_s: float, held: Sequence[int]) -> int:
    """Exit status of a program; 0 where Ctrl+C came, which the caller raises."""
    deadline = time.monotonic() + timeout_s
    while not held:
        try:
            return process.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(process.args, timeout_s) from None
    return 0


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """End a program and its children, also those that it left behind when it ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left; macOS calls that a permission
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def how_it_ended(status: int) -> str:
    """An exit status in words; shells and containers report a signal as 128 and its number."""
    number = -status if status < 0 else status - 128
    if number not in list(signal.Signals):
        return f"ended with exit status {status}"
    hint = ", as the system does when memory runs out" if number == signal.SIGKILL else ""
    return f"was ended by {signal.Signals(number).name}{hint} (exit status {status})"


def last_lines(log: Path) -> str:
    """The last lines that a program printed, indented, under a heading."""
    if not log.exists():
        return "it printed nothing"
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _BYTES_SHOWN))
        lines = file.read().decode("utf-8", errors="replace").splitlines()  # a progress bar's \r ends a line too
    shown = [f"  {line}" for line in lines if line.strip()][-LINES_SHOWN:]
    return "\n".join(["its last lines:", *shown]) if shown else "it printed nothing"
