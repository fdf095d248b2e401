"""What the plugin keeps during a run, in `config.stash`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_robustseiz.collector import ATTRIBUTE, Collector, describe_problem
from pytest_robustseiz.limits import ConfiguredLimits
from pytest_robustseiz.marker import read_marker
from pytest_robustseiz.messages import CaseAsked, to_json
from pytest_robustseiz.options import Settings, cache_folder, resolve
from pytest_robustseiz.outcomes import Outcomes, mark
from pytest_robustseiz.plan import NO_MODE, Grids, case_params, curve_params, select_settings, settings_by_shift
from pytest_robustseiz.reports import check_reports, write_reports

if TYPE_CHECKING:
    from pytest_robustseiz.adapters import Adapter
    from pytest_robustseiz.corpus import Subject
    from pytest_robustseiz.curves import RobustnessCurve
    from pytest_robustseiz.finish import Ending
    from pytest_robustseiz.handles import RobustnessCase, RobustnessExperiment
    from pytest_robustseiz.profiles import RobustnessProfile
    from pytest_robustseiz.regression import Comparison
    from pytest_robustseiz.runner import Runner
    from pytest_robustseiz.shifts import Shift


class State:
    """A run in one process; nothing heavy is imported before a robustness test is collected.

    Parameters
    ----------
    config : pytest.Config
        Of the session.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = resolve(config)
        self.limits = ConfiguredLimits(config.rootpath)
        self.collector = Collector()
        self.outcomes = Outcomes()
        self.worker: str | None = getattr(config, "workerinput", {}).get("workerid")
        self._thresholds_checked = False
        self._option_adapter: Adapter | None = None
        self._ending: Ending | None = None
        self._comparison: Comparison | None = None

    def start(self) -> None:
        """Check early what would else fail after hours of work."""
        if self.settings is None:
            return
        if self.worker:
            from pytest_robustseiz.detectors import share_cores

            share_cores(self.config.workerinput["workercount"])  # type: ignore[attr-defined]
            return
        from pytest_robustseiz.registry import RegistryError, check_registry

        try:
            check_registry(self.settings.registry)
        except RegistryError as error:
            raise pytest.UsageError(f"--robustseiz-registry: {error}") from error
        self._comparison = self._load_comparison(self.settings)
        _ = self.subjects  # a wrong folder is a usage error, before anything is collected
        self.grids.check_option()
        check_reports(self.settings, self.config.rootpath)
        self.config.pluginmanager.register(self.collector, "robustseiz-collector")
        self.config.pluginmanager.register(self.outcomes, "robustseiz-outcomes")

    def _load_comparison(self, settings: Settings) -> "Comparison | None":
        from pytest_robustseiz.regression import check_options

        try:
            return check_options(settings.compare, settings.max_regression, anyway=settings.compare_anyway)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error

    def header(self) -> list[str]:
        """Lines above the tests: what the run covers."""
        if self.settings is None:
            return []
        count = len(self.subjects)
        recordings = sum(len(subject.recordings) for subject in self.subjects)
        return [
            f"robustseiz: {self.settings.mode} of {self.settings.data}: {count} subjects, {recordings} recordings; "
            f"seed {self.settings.seed}; store {self.settings.store}"
        ]

    def attach(self, item: pytest.Item, call: "pytest.CallInfo[None]", report: pytest.TestReport) -> None:
        """Put what the controller has to hear on a report."""
        if self.settings is None:
            return
        messages = self.runner.take_messages() if "runner" in vars(self) else []
        if call.when == "setup":
            messages += self._asked(item, call)
        if messages:
            setattr(report, ATTRIBUTE, messages)
        mark(item, report)

    def end(self, session: pytest.Session) -> None:
        """Write outputs and registry, in the controller, when any case has a result."""
        ran = self.collector.results or self.collector.asked or self.outcomes.found
        if self.settings is None or self.worker or not ran:
            return
        from pytest_robustseiz.finish import finish

        names = [subject.name for subject in self.subjects]
        self._ending = finish(self.collector, self.settings, names, self.corpus_folder, comparison=self._comparison)
        write_reports(self._ending, self.outcomes.verdict(), self.settings, self.corpus_folder, self.config.rootpath)
        self._ending.lines += self.limits.unmatched(experiment.setting for _, experiment, _ in self._ending.scored)
        if self._ending.failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def summarise(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Lines below the tests."""
        if self._ending is not None:
            terminalreporter.section("robustseiz")
            for line in self._ending.lines:
                terminalreporter.line(line)

    def _asked(self, item: pytest.Item, call: "pytest.CallInfo[None]") -> list[str]:
        """Which setting a test asked for, and why it has no result."""
        callspec = getattr(item, "callspec", None)
        params: dict[str, Any] = callspec.params if callspec else {}
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, pytest.skip.Exception):
            return []
        problem = describe_problem(error) if error else ""
        asked = []
        if params.get("robustseiz_case"):
            subject, setting = params["robustseiz_case"]
            asked.append(CaseAsked(setting.label, subject.name, problem))
        if params.get("robustseiz_experiment"):
            asked.append(CaseAsked(params["robustseiz_experiment"].label, "", problem))
        # The problem of a curve is that of one of its settings, which it cannot name.
        asked += [CaseAsked(setting.label, "", "") for setting in params.get("robustseiz_curve") or ()]
        return [to_json(message) for message in asked]

    @cached_property
    def subjects(self) -> "tuple[Subject, ...]":
        """The scope, found by names only.

        Raises
        ------
        pytest.UsageError
            When there is no such corpus.
        """
        from pytest_robustseiz.corpus import CorpusError, discover

        settings = self.required()
        try:
            found = discover(self.corpus_folder)
        except CorpusError as error:
            raise pytest.UsageError(f"--robustseiz-data: {error}") from error
        return found[: settings.subjects] if settings.mode == "subset" else found

    @cached_property
    def corpus_folder(self) -> Path:
        """Folder of the corpus; the synthetic one is made on first use."""
        settings = self.required()
        if settings.data != "demo":
            return Path(settings.data)
        from pytest_robustseiz.demo_corpus import demo_corpus

        return demo_corpus(cache_folder(self.config, "robustseiz-demo"))

    @cached_property
    def grids(self) -> Grids:
        """Grids of the tests."""
        return Grids(self.required().grid, self.config.rootpath)

    @cached_property
    def runner(self) -> "Runner":
        """Where results come from."""
        from pytest_robustseiz.runner import Runner

        return Runner(self.required(), self.subjects, self.limits)

    def required(self) -> Settings:
        """Settings of the run.

        Raises
        ------
        pytest.skip.Exception
            Where no mode was given.
        """
        if self.settings is None:
            pytest.skip(NO_MODE)
        return self.settings

    def device(self) -> str:
        """Device of this process."""
        from pytest_robustseiz.detectors import choose_device

        return choose_device(self.required().device, self.worker)

    def named_adapter(self) -> "Adapter":
        """The detector that the command line names."""
        from pytest_robustseiz.detectors import MISSING, load_adapter

        name = self.required().adapter
        if not name:
            raise pytest.UsageError(MISSING)
        self._option_adapter = load_adapter(name, self.device())
        return self._option_adapter

    def case(self, subject: str, setting: "Shift", adapter: object, limits: Mapping[str, float]) -> "RobustnessCase":
        """See `Runner.case`; skips where the setting has no meaning."""
        with self._skipping([setting]):
            return self.runner.case(subject, setting, self._checked(adapter), limits)

    def experiment(self, setting: "Shift", adapter: object, limits: Mapping[str, float]) -> "RobustnessExperiment":
        """See `Runner.experiment`; skips where the setting has no meaning."""
        with self._skipping([setting]):
            return self.runner.experiment(setting, self._checked(adapter), limits)

    def curve(self, settings: "Sequence[Shift]", adapter: object) -> "RobustnessCurve":
        """See `Runner.curve`; skips where the shift has no meaning."""
        with self._skipping(settings):
            return self.runner.curve(settings, self._checked(adapter))

    def profile(self, test: pytest.Item, adapter: object) -> "RobustnessProfile":
        """See `Runner.profile`; the settings are those of the test's marker and grid."""
        self.required()
        settings = settings_by_shift(self._settings_of(test))
        return self.runner.profile(settings, self._checked(adapter))

    @contextmanager
    def _skipping(self, settings: "Sequence[Shift]") -> Iterator[None]:
        """Turn `NotApplicable` into a skip, and tell the controller."""
        from pytest_robustseiz.shifts import NotApplicable

        try:
            yield
        except NotApplicable as error:
            for setting in settings:
                self.runner.say_not_applicable(setting, str(error))
            pytest.skip(str(error))

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Give a test its items, or one that is skipped where no mode was given."""
        for name in ("robustseiz_case", "robustseiz_experiment", "robustseiz_curve"):
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, self._params(name, metafunc.definition), indirect=True)

    def _params(self, name: str, test: pytest.Item) -> "Sequence[object]":
        if self.settings is None:
            read_marker(test.get_closest_marker("robustseiz"), test.nodeid)  # mistakes show without a mode too
            return [pytest.param(None, id="no-mode", marks=pytest.mark.skip(reason=NO_MODE))]
        settings = self._settings_of(test)
        if name == "robustseiz_experiment":
            return [pytest.param(setting, id=setting.label) for setting in settings]
        if name == "robustseiz_curve":
            return curve_params(settings)
        grouped = self.config.pluginmanager.hasplugin("xdist")
        return case_params(self.subjects, settings, grouped=grouped)

    def _settings_of(self, test: pytest.Item) -> "tuple[Shift, ...]":
        """Settings that a test asks for, the baseline first."""
        self._check_thresholds()
        request = read_marker(test.get_closest_marker("robustseiz"), test.nodeid)
        grid = self.grids.grid(request, test)
        return select_settings(grid, request.shifts, self.required().shifts, test.nodeid)

    def _check_thresholds(self) -> None:
        if self._thresholds_checked:
            return
        from pytest_robustseiz.shifts import registered

        self.limits.check_keys(registered().values())
        self._thresholds_checked = True

    def _checked(self, adapter: object) -> "Adapter":
        from pytest_robustseiz.detectors import require_adapter

        if self.required().adapter and adapter is not self._option_adapter:
            raise pytest.UsageError(
                "--robustseiz-adapter is given, and a conftest defines robustseiz_adapter too: leave one of them out"
            )
        return require_adapter(adapter, "robustseiz_adapter")


KEY = pytest.StashKey[State]()


def get_state(config: pytest.Config) -> State:
    """State of the run."""
    return config.stash[KEY]
