"""Which rows of a registry make a submission."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_robustseiz.collector import in_grid_order
from pytest_robustseiz.protocols import PROTOCOLS, Protocol
from pytest_robustseiz.registry import RegistryError
from pytest_robustseiz.registrycheck import read_checked, row_problems, task_of_file
from pytest_robustseiz.registryfile import StoredRow
from pytest_robustseiz.tasks import PREDICTION

BASELINE = "baseline"
# Of several states of a predictor in one scope the newest is submitted.
_STATE = ("adapter_fingerprint", "package_version")
_NO_FULL = "has only rows of subset mode, which tests some subjects; run with --robustseiz-mode=full"
_NO_PROTOCOL = "has only rows without a protocol, and a submission needs one; run with --robustseiz-protocol=1 to 4"


class SubmissionError(ValueError):
    """A registry does not make a submission; the message says why and what to do."""


class ChoiceError(SubmissionError):
    """There are several to choose from, or none of the kind that was named."""


@dataclass(frozen=True)
class Chosen:
    """Rows of one predictor, protocol and scope.

    Attributes
    ----------
    baseline : StoredRow
        The benchmark part.
    settings : tuple of StoredRow
        The others, the latest of each setting, in the order of the default grid.
    left_out : tuple of str
        What was left out and why, a line for each reason.
    """

    baseline: StoredRow
    settings: tuple[StoredRow, ...]
    left_out: tuple[str, ...]

    @property
    def protocol(self) -> Protocol:
        """The protocol."""
        return PROTOCOLS[self.baseline["protocol"]]


def prediction_rows(path: Path) -> list[StoredRow]:
    """Rows of a registry of the prediction task.

    Raises
    ------
    SubmissionError
        When the registry is of the other task, or cannot be read.
    """
    try:
        task = task_of_file(path)
        if task is not PREDICTION:
            raise SubmissionError(
                f"{path} is no registry of the prediction task, and submissions are of predictors; name one that a run "
                "with --robustseiz-task=prediction wrote"
            )
        return read_checked(path, task)
    except RegistryError as error:
        raise SubmissionError(str(error)) from error


def choose(rows: Sequence[StoredRow], *, adapter: str | None, protocol: str | None, scope: int | None) -> Chosen:
    """The latest rows of one predictor, protocol and scope.

    Parameters
    ----------
    rows : sequence of StoredRow
        All of a registry.
    adapter, protocol : str or None
        Which; None where there is only one.
    scope : int or None
        Number of the scope, from 1, in the order in which they begin in the registry; None where there is only one.

    Raises
    ------
    ChoiceError
        When there are several and none was named, or the named one is not there.
    SubmissionError
        When no row has a protocol or is of full mode, when there is no baseline, or a row is wrong.
    """
    left_out: list[str] = []
    found = _one_of(rows, "adapter", "predictor", "--adapter", adapter)
    found = _only(found, lambda row: row["mode"] == "full", "in subset mode", left_out, _NO_FULL)
    found = _only(found, lambda row: bool(row["protocol"]), "without a protocol", left_out, _NO_PROTOCOL)
    found = _one_of(found, "protocol", "protocol", "--protocol", protocol)
    found = _one_scope(found, scope)
    found = sorted(found, key=lambda row: row["timestamp_utc"])
    newest = found[-1]
    found = _only(
        found,
        lambda row: all(row[name] == newest[name] for name in _STATE),
        "of another fingerprint or package version than the newest",
        left_out,
    )
    latest = {row["experiment_name"]: row for row in found}
    _require_sound(list(latest.values()))
    if BASELINE not in latest:
        raise SubmissionError(
            f"{newest.path} has no row of the baseline of {newest['adapter']!r} in this scope; run it, together with "
            "the settings"
        )
    settings = tuple(latest[label] for label in in_grid_order(latest) if label != BASELINE)
    return Chosen(latest[BASELINE], settings, tuple(left_out))


def _only(
    rows: Sequence[StoredRow], keep: Callable[[StoredRow], bool], why: str, left_out: list[str], none_left: str = ""
) -> list[StoredRow]:
    kept = [row for row in rows if keep(row)]
    if not kept:
        raise SubmissionError(f"{rows[0].path} {none_left}")
    if len(kept) < len(rows):
        left_out.append(f"{len(rows) - len(kept)} rows {why}")
    return kept


def _one_of(rows: Sequence[StoredRow], column: str, what: str, option: str, named: str | None) -> list[StoredRow]:
    there = list(dict.fromkeys(row[column] for row in rows))
    if named is None and len(there) > 1:
        raise ChoiceError(f"{rows[0].path} has several {what}s: choose by {option} from {', '.join(there)}")
    if named is not None and named not in there:
        raise ChoiceError(f"{option}: no {named!r} in {rows[0].path}; there is {', '.join(there)}")
    return [row for row in rows if row[column] == (named or there[0])]


def _one_scope(rows: Sequence[StoredRow], number: int | None) -> list[StoredRow]:
    scopes: dict[tuple[str, ...], list[StoredRow]] = {}
    for row in rows:
        scopes.setdefault(row.scope, []).append(row)
    if number is None and len(scopes) == 1:
        return list(rows)
    if number is None or not 1 <= number <= len(scopes):
        listed = [f"  {place}: {_scope_text(found)}" for place, found in enumerate(scopes.values(), 1)]
        asked = "choose one by --scope" if number is None else f"--scope: there is no {number}"
        raise ChoiceError("\n".join([f"{rows[0].path} has {len(scopes)} scopes; {asked}:", *listed]))
    return list(scopes.values())[number - 1]


def _scope_text(rows: Sequence[StoredRow]) -> str:
    first = rows[0]
    corpus = " ".join(name for name in (first["corpus_name"], first["corpus_version"]) if name)
    return (
        f"{first['subjects']} subjects, {first['recordings']} recordings of corpus {corpus or first['data_dir']} "
        f"(fingerprint {first['corpus_fingerprint']}), seed {first['seed']}; {len(rows)} rows, the last of "
        f"{max(row['timestamp_utc'] for row in rows)}"
    )


def _require_sound(rows: Sequence[StoredRow], *, most: int = 10) -> None:
    problems = [f"line {row.line}: {problem}" for row in rows for problem in row_problems(row)]
    if problems:
        more = [f"and {len(problems) - most} more"] if len(problems) > most else []
        head = f"{rows[0].path} has rows that are wrong; repair or remove them, or run again:"
        raise SubmissionError("\n  ".join([head, *problems[:most], *more]))
