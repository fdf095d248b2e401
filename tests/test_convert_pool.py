"""Jobs in worker processes: none is lost, and one that kills its process is named."""

import os
import signal
from concurrent.futures.process import BrokenProcessPool

import pytest

from pytest_robustseiz.convert_pool import run_all


def third(number: int) -> float:
    """Three over a number; below zero it kills the process."""
    if number < 0:
        os._exit(1)
    return 3 / number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_and_errors(workers: int) -> None:
    found = dict(run_all(third, [1, 0, 2, 4, 8], workers=workers))
    assert isinstance(found.pop(0), ZeroDivisionError)
    assert found == {1: 3.0, 2: 1.5, 4: 0.75, 8: 0.375}


def test_a_worker_that_dies_takes_only_what_was_in_progress() -> None:
    found = dict(run_all(third, [-1, *range(1, 9)], workers=2))
    assert len(found) == 9
    lost = {number for number, result in found.items() if isinstance(result, BrokenProcessPool)}
    assert -1 in lost
    assert len(lost) <= 2  # as many as there are workers
    assert all(found[number] == 3 / number for number in set(found) - lost)


def ignores_interrupts(number: int) -> bool:
    """Whether this process leaves interrupts to the one that started it."""
    return number > 0 and signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_workers_leave_interrupts_to_the_parent() -> None:
    assert dict(run_all(ignores_interrupts, [1, 2], workers=2)) == {1: True, 2: True}


def test_no_jobs() -> None:
    assert list(run_all(third, [], workers=2)) == []
