"""What items a test becomes, and what an item asks for."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_robustseiz.collector import describe_problem
from pytest_robustseiz.limits import ConfiguredLimits
from pytest_robustseiz.marker import read_marker
from pytest_robustseiz.messages import CaseAsked, to_json
from pytest_robustseiz.options import Settings
from pytest_robustseiz.plan import NO_MODE, Grids, case_params, curve_params, select_settings

if TYPE_CHECKING:
    from pytest_robustseiz.scope import Scope
    from pytest_robustseiz.shifts import Shift

PARAMETRIZED = ("robustseiz_case", "robustseiz_experiment", "robustseiz_curve")


class Items:
    """Items of the robustness tests of a run with a mode.

    Parameters
    ----------
    settings : Settings
        Of the run.
    scope : Scope
        Its subjects.
    grids : Grids
        Its grids.
    limits : ConfiguredLimits
        Whose keys are checked before the first test is given its settings.
    """

    def __init__(self, settings: Settings, scope: "Scope", grids: Grids, limits: ConfiguredLimits) -> None:
        self._settings = settings
        self._scope = scope
        self._grids = grids
        self._limits = limits
        self._thresholds_checked = False

    def params(self, name: str, test: pytest.Item, *, grouped: bool) -> Sequence[object]:
        """Parameters of a fixture of `PARAMETRIZED`, for one test.

        Parameters
        ----------
        name : str
            The fixture.
        test : pytest.Item
            The test.
        grouped : bool
            See `case_params`.
        """
        settings = self.settings_of(test)
        if name == "robustseiz_experiment":
            return [pytest.param(setting, id=setting.label) for setting in settings]
        if name == "robustseiz_curve":
            return curve_params(settings)
        return case_params(self._scope.subjects, settings, grouped=grouped)

    def settings_of(self, test: pytest.Item) -> "tuple[Shift, ...]":
        """Settings that a test asks for, the baseline first."""
        self._check_thresholds()
        request = read_marker(test.get_closest_marker("robustseiz"), test.nodeid)
        self._check_task(request.limits, test.nodeid)
        grid = self._grids.grid(request, test)
        return select_settings(grid, request.shifts, self._settings.shifts, test.nodeid)

    def _check_task(self, limits: Iterable[tuple[str, float]], where: str) -> None:
        task = self._settings.task
        strange = [name for name, _ in limits if name not in task.rules]
        if strange:
            raise pytest.UsageError(
                f"{where}: {', '.join(strange)} cannot be judged in a run of the {task.name} task; run the tests of "
                f"each task by themselves; limits of this one are {', '.join(task.rules)}"
            )

    def _check_thresholds(self) -> None:
        if self._thresholds_checked:
            return
        from pytest_robustseiz.shifts import registered

        self._limits.check_keys(registered().values())
        self._thresholds_checked = True


def skipped_params(test: pytest.Item) -> Sequence[object]:
    """One parameter that is skipped, for a run without a mode; mistakes in the marker show all the same."""
    read_marker(test.get_closest_marker("robustseiz"), test.nodeid)
    return [pytest.param(None, id="no-mode", marks=pytest.mark.skip(reason=NO_MODE))]


def asked(item: pytest.Item, call: "pytest.CallInfo[None]", culprit: tuple[str, str]) -> list[str]:
    """Messages on which settings an item asked for in its setup, and why it has no result.

    Parameters
    ----------
    item : pytest.Item
        The test.
    call : pytest.CallInfo
        Of its setup.
    culprit : (str, str)
        Name and fingerprint of the detector that raised, where that is known.
    """
    callspec = getattr(item, "callspec", None)
    params: dict[str, Any] = callspec.params if callspec else {}
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, pytest.skip.Exception):
        return []
    problem = describe_problem(error) if error else ""
    found = []
    if params.get("robustseiz_case"):
        subject, setting = params["robustseiz_case"]
        found.append(CaseAsked(setting.label, subject.name, problem, *culprit))
    if params.get("robustseiz_experiment"):
        found.append(CaseAsked(params["robustseiz_experiment"].label, "", problem, *culprit))
    # The problem of a curve is that of one of its settings, which it cannot name.
    found += [CaseAsked(setting.label, "", "") for setting in params.get("robustseiz_curve") or ()]
    return [to_json(message) for message in found]
