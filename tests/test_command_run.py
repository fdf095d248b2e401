"""Programs that hang, crash and leave children behind."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from file_detectors import gone

from pytest_robustseiz.adapters.command_run import LINES_SHOWN, how_it_ended, last_lines, run_program

# A shell that starts a child, which outlives it unless the group is ended.
WITH_CHILD = 'sleep 300 & echo $! > "$FOLDER/child"; echo $$ > "$FOLDER/own"; '


def run(tmp_path: Path, script: str, *, timeout_s: float = 30.0) -> int:
    environment = {"FOLDER": str(tmp_path), "PATH": os.environ["PATH"]}
    return run_program(["sh", "-c", script], environment=environment, log=tmp_path / "log", timeout_s=timeout_s)


def test_a_timeout_ends_the_program_and_its_children(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired, match=r"timed out after 1\.0 seconds"):
        run(tmp_path, WITH_CHILD + "wait", timeout_s=1.0)
    assert gone(tmp_path / "own")
    assert gone(tmp_path / "child")


@pytest.mark.parametrize("end, status", [("exit 0", 0), ("exit 3", 3), ("kill -SEGV $$", -signal.SIGSEGV)])
def test_what_a_program_leaves_behind_is_ended_too(tmp_path: Path, end: str, status: int) -> None:
    assert run(tmp_path, WITH_CHILD + end) == status
    assert gone(tmp_path / "child")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl+C raises, also where the tests run in the background, for which a shell switches it off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_a_program_starts_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl+C comes when the program runs already, but nobody has its id yet."""
    start = subprocess.Popen.__init__

    def interrupted(self: subprocess.Popen[bytes], *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        while not (tmp_path / "own").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)

    monkeypatch.setattr(subprocess.Popen, "__init__", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        run(tmp_path, WITH_CHILD + "wait")
    assert gone(tmp_path / "own")
    assert gone(tmp_path / "child")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_that_comes_with_the_timeout_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(self: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if timeout is None:
            return wait(self)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        raise subprocess.TimeoutExpired("sh", timeout)

    wait = subprocess.Popen.wait
    monkeypatch.setattr(subprocess.Popen, "wait", late)
    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        run(tmp_path, WITH_CHILD + "wait", timeout_s=0.01)


def test_a_program_runs_in_a_thread_too(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        assert pool.submit(run, tmp_path, "exit 7").result() == 7


def test_only_the_environment_that_is_given_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONLY_OURS", "yes")
    run(tmp_path, 'echo "[$ONLY_OURS] [$FOLDER]"')
    assert last_lines(tmp_path / "log") == f"its last lines:\n  [] [{tmp_path}]"


def test_nothing_waits_for_input(tmp_path: Path) -> None:
    """Though ours is a terminal, here a pipe that stays open."""
    reading, writing = os.pipe()
    own = os.dup(0)
    os.dup2(reading, 0)
    try:
        assert run(tmp_path, "cat", timeout_s=10.0) == 0
    finally:
        os.dup2(own, 0)
        for descriptor in (own, reading, writing):
            os.close(descriptor)


@pytest.mark.parametrize(
    "status, text",
    [
        (2, "ended with exit status 2"),
        (125, "ended with exit status 125"),
        (200, "ended with exit status 200"),
        (-signal.SIGSEGV, "was ended by SIGSEGV (exit status -11)"),
        (-signal.SIGKILL, "was ended by SIGKILL, as the system does when memory runs out (exit status -9)"),
        (137, "was ended by SIGKILL, as the system does when memory runs out (exit status 137)"),
    ],
)
def test_an_exit_status_in_words(status: int, text: str) -> None:
    assert how_it_ended(status) == text


def test_the_last_lines_are_shown_and_no_others(tmp_path: Path) -> None:
    run(
        tmp_path,
        f"seq 1 100000; printf 'bytes \\377 of no text\\n\\n'; printf ' 10%%\\r 20%%\\r' 1>&2; seq 1 {LINES_SHOWN - 3}",
    )
    heading, *lines = last_lines(tmp_path / "log").splitlines()
    assert heading == "its last lines:"
    assert lines[:3] == ["  bytes � of no text", "   10%", "   20%"]
    assert lines[3:] == [f"  {number}" for number in range(1, LINES_SHOWN - 2)]


def test_silence_is_said(tmp_path: Path) -> None:
    run(tmp_path, "true")
    assert last_lines(tmp_path / "log") == last_lines(tmp_path / "no log") == "it printed nothing"
