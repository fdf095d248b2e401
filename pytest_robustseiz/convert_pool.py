"""Jobs in worker processes, never more at once than there are workers."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

Given = TypeVar("Given")
Result = TypeVar("Result")


def run_all(
    work: Callable[[Given], Result], jobs: Iterable[Given], *, workers: int
) -> Iterator[tuple[Given, Result | BaseException]]:
    """Do all jobs and hand on what each returned or raised, in the order in which they end.

    A worker that dies, as one does that ran out of memory, takes with it what the others were at; those jobs get a
    `BrokenProcessPool`, and the rest goes on in new processes.

    Parameters
    ----------
    work : callable
        A function of a module, so that a process can be told to call it.
    jobs : iterable
        What to call it with.
    workers : int
        How many processes; 1 does all in this one.
    """
    left = deque(jobs)
    while left:
        at_once = min(workers, len(left))
        with _executor(at_once) as executor:
            try:
                yield from _until_broken(executor, work, left, at_once)
            except BaseException:
                executor.shutdown(wait=True, cancel_futures=True)  # what is in progress ends first
                raise


def _executor(workers: int) -> Executor:
    if workers == 1:
        return ThreadPoolExecutor(1)
    context = multiprocessing.get_context("spawn")  # a fork would copy threads' locks
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_follow_the_parent)


def _follow_the_parent() -> None:
    """Leave interrupts to the parent, and end when it is killed: else a worker waits for work for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _until_broken(
    executor: Executor, work: Callable[[Given], Result], left: deque[Given], workers: int
) -> Iterator[tuple[Given, Result | BaseException]]:
    """Take jobs from `left` until there are none, or a worker died."""
    running: dict[Future[Result], Given] = {}
    broken = False
    while running or (left and not broken):
        while left and not broken and len(running) < workers:
            try:
                running[executor.submit(work, left[0])] = left[0]
                left.popleft()
            except BrokenProcessPool:
                broken = True
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            job, error = running.pop(future), future.exception()
            yield job, future.result() if error is None else error
