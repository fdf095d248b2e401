"""Each case is computed once, by whoever comes first."""

import multiprocessing
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_robustseiz.results import CaseResult, SettingInfo
from pytest_robustseiz.store import ContentHashes, Store, Wanted, write_atomically

RESULT = CaseResult("sub-01", SettingInfo("baseline", "baseline", "baseline", "{}"), ())


def counting(log: Path, *, wait_s: float = 0.0) -> Callable[[], CaseResult]:
    def compute() -> CaseResult:
        with log.open("a") as file:
            file.write(f"{os.getpid()}\n")
        time.sleep(wait_s)
        return RESULT

    return compute


def calls(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_result_is_computed_once_and_found_by_the_next_session(tmp_path: Path) -> None:
    log = tmp_path / "log"
    wanted = Wanted("ab" * 32, counting(log))
    store = Store(tmp_path / "store")
    assert store.get(wanted) == store.get(wanted) == RESULT
    assert Store(tmp_path / "store").get(wanted) == RESULT
    assert calls(log) == 1


def test_other_keys_are_other_results(tmp_path: Path) -> None:
    log = tmp_path / "log"
    store = Store(tmp_path / "store")
    store.get_all([Wanted("ab" * 32, counting(log)), Wanted("cd" * 32, counting(log))])
    assert calls(log) == 2


def test_what_cannot_be_fingerprinted_stays_in_memory(tmp_path: Path) -> None:
    log = tmp_path / "log"
    wanted = Wanted("ab" * 32, counting(log), lasting=False)
    store = Store(tmp_path / "store")
    store.get(wanted)
    store.get(wanted)
    assert calls(log) == 1
    assert not (tmp_path / "store").exists()
    Store(tmp_path / "store").get(wanted)
    assert calls(log) == 2


@pytest.mark.parametrize("damage", ["", "{", '{"subject": "sub-01"}', "null"])
def test_a_damaged_file_is_computed_again_and_replaced(tmp_path: Path, damage: str) -> None:
    log = tmp_path / "log"
    wanted = Wanted("ab" * 32, counting(log))
    Store(tmp_path).get(wanted)
    [file] = tmp_path.glob("cases/*/*.json")
    file.write_text(damage)
    assert Store(tmp_path).get(wanted) == RESULT
    assert Store(tmp_path).get(wanted) == RESULT
    assert calls(log) == 2


def test_a_failure_is_kept_for_the_process_and_leaves_nothing_on_disk(tmp_path: Path) -> None:
    attempts = []

    def fail() -> CaseResult:
        attempts.append(1)
        raise ValueError("no luck")

    store = Store(tmp_path)
    for _ in range(2):
        with pytest.raises(ValueError, match="no luck"):
            store.get(Wanted("ab" * 32, fail))
    assert len(attempts) == 1
    assert not list(tmp_path.glob("cases/*/*.json"))
    assert Store(tmp_path).get(Wanted("ab" * 32, lambda: RESULT)) == RESULT


def ask_for_all(folder: Path, log: Path, keys: list[str]) -> None:
    found = Store(folder).get_all([Wanted(key, counting(log, wait_s=0.05)) for key in keys])
    if found != [RESULT] * len(keys):
        os._exit(3)


def test_processes_on_one_folder_compute_each_case_once(tmp_path: Path) -> None:
    log, keys = tmp_path / "log", [f"{number:064x}" for number in range(12)]
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=ask_for_all, args=(tmp_path / "store", log, keys)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    assert calls(log) == len(keys)


def die_while_computing(folder: Path) -> None:
    Store(folder).get(Wanted("ab" * 32, lambda: os._exit(1)))


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=die_while_computing, args=(tmp_path,))
    process.start()
    process.join(60)
    assert process.exitcode == 1
    assert Store(tmp_path).get(Wanted("ab" * 32, lambda: RESULT)) == RESULT


def test_content_is_hashed_once_and_again_when_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.edf"
    file.write_bytes(b"one")
    first = ContentHashes(tmp_path / "store").of(file)
    # sha256 of b"one", from coreutils
    assert first == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    with monkeypatch.context() as patch:
        patch.setattr("hashlib.file_digest", None)  # a second look must not read the file
        assert ContentHashes(tmp_path / "store").of(file) == first
    file.write_bytes(b"two2")
    assert ContentHashes(tmp_path / "store").of(file) != first


def test_hash_of_two_files_depends_on_both(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    for path, content in zip(paths, (b"1", b"2", b"3"), strict=True):
        path.write_bytes(content)
    hashes = ContentHashes(tmp_path / "store")
    assert len({hashes.of(paths[0], paths[1]), hashes.of(paths[0], paths[2]), hashes.of(paths[1], paths[0])}) == 3


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_others_may_read_what_was_written(tmp_path: Path) -> None:
    """A registry or a store is often shared by the users of a machine."""
    previous = os.umask(0o022)
    try:
        write_atomically(tmp_path / "f", "new")
        assert (tmp_path / "f").stat().st_mode & 0o777 == 0o644
        (tmp_path / "f").chmod(0o664)
        write_atomically(tmp_path / "f", "again")
        assert (tmp_path / "f").stat().st_mode & 0o777 == 0o664
    finally:
        os.umask(previous)
