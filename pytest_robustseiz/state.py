"""What the plugin keeps during a run, in `config.stash`."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from pytest_robustseiz.collector import ATTRIBUTE, Collector
from pytest_robustseiz.items import PARAMETRIZED, Items, asked, skipped_params
from pytest_robustseiz.limits import ConfiguredLimits
from pytest_robustseiz.options import Settings, resolve
from pytest_robustseiz.outcomes import Outcomes, mark
from pytest_robustseiz.plan import NO_MODE, Grids, settings_by_shift
from pytest_robustseiz.reports import check_reports, write_reports
from pytest_robustseiz.tasks import PREDICTION
from pytest_robustseiz.workersession import WorkerSession

if TYPE_CHECKING:
    from pytest_robustseiz.curves import RobustnessCurve
    from pytest_robustseiz.finish import Ending
    from pytest_robustseiz.handles import RobustnessCase, RobustnessExperiment
    from pytest_robustseiz.profiles import RobustnessProfile
    from pytest_robustseiz.regression import Comparison
    from pytest_robustseiz.runner import Runner
    from pytest_robustseiz.scope import Scope
    from pytest_robustseiz.shifts import Shift
    from pytest_robustseiz.trainedmodels import TrainedModels
    from pytest_robustseiz.trainers import Trainers
    from pytest_robustseiz.visit import Model


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
        self.shared = WorkerSession(config)
        self._option_adapter: Model | None = None
        self._raised: tuple[Exception | None, object] = (None, None)
        self._ending: Ending | None = None
        self._comparison: Comparison | None = None

    def start(self) -> None:
        """Check early what would else fail after hours of work."""
        if self.settings is None:
            return
        if self.shared.worker:
            from pytest_robustseiz.detectors import share_cores

            share_cores(self.config.workerinput["workercount"])  # type: ignore[attr-defined]
            return
        from pytest_robustseiz.registry import RegistryError, check_registry

        try:
            check_registry(self.settings.registry, self.settings.task)
        except RegistryError as error:
            raise pytest.UsageError(f"--robustseiz-registry: {error}") from error
        self._comparison = self._load_comparison(self.settings)
        if self.settings.adapter:
            from pytest_robustseiz.detectors import check_name

            check_name(self.settings.adapter, self.settings.task)
        self.scope.check()  # a wrong folder is a usage error, before anything is collected
        self.grids.check_option()
        check_reports(self.settings, self.config.rootpath)
        self.config.pluginmanager.register(self.collector, "robustseiz-collector")
        self.config.pluginmanager.register(self.outcomes, "robustseiz-outcomes")

    def _load_comparison(self, settings: Settings) -> "Comparison | None":
        from pytest_robustseiz.regression import check_options

        try:
            return check_options(
                settings.compare, settings.max_regression, anyway=settings.compare_anyway, task=settings.task
            )
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error

    def header(self) -> list[str]:
        """Lines above the tests: what the run covers."""
        return self.scope.header() if self.settings else []

    def attach(self, item: pytest.Item, call: "pytest.CallInfo[None]", report: pytest.TestReport) -> None:
        """Put what the controller has to hear on a report."""
        if self.settings is None:
            return
        messages = self.runner.take_messages() if "runner" in vars(self) else []
        if call.when == "setup":
            messages += asked(item, call, self._culprit_of(call))
        if messages:
            setattr(report, ATTRIBUTE, messages)
        mark(item, report)

    def end(self, session: pytest.Session) -> None:
        """Write outputs and registry, in the controller, when any case has a result."""
        if self.settings is None or self.shared.worker:
            return
        self.shared.clear(self.settings.store)
        if not (self.collector.results or self.collector.asked or self.outcomes.found):
            return
        from pytest_robustseiz.finish import finish

        self._ending = finish(self.collector, self.settings, self.scope, comparison=self._comparison)
        write_reports(self._ending, self.outcomes.verdict(), self.settings, self.scope.folder, self.config.rootpath)
        self._ending.lines += self.limits.unmatched(experiment.setting for _, experiment, _ in self._ending.scored)
        if self._ending.failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def summarise(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Lines below the tests."""
        if self._ending is not None:
            terminalreporter.section("robustseiz")
            for line in self._ending.lines:
                terminalreporter.line(line)

    @cached_property
    def scope(self) -> "Scope":
        """Subjects of the run."""
        from pytest_robustseiz.scope import Scope

        return Scope(self.required(), self.config)

    @cached_property
    def grids(self) -> Grids:
        """Grids of the tests."""
        return Grids(self.required().grid, self.config.rootpath)

    @cached_property
    def items(self) -> Items:
        """What the tests become."""
        return Items(self.required(), self.scope, self.grids, self.limits)

    @cached_property
    def runner(self) -> "Runner":
        """Where results come from."""
        from pytest_robustseiz.runner import Runner

        return Runner(self.required(), self.scope.subjects, self.limits)

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

        return choose_device(self.required().device, self.shared.worker)

    def model(self, test: pytest.Item, adapter: object, train: object) -> object:
        """What a test tests: the author's adapter, or models that the run trains by the author's callable.

        Raises
        ------
        pytest.UsageError
            When the protocol trains, and there is no callable.
        """
        protocol = self.required().protocol
        if protocol is None or not protocol.trains:
            return adapter
        from pytest_robustseiz.trainers import Origin

        return self._trainers.models(train, Origin.of(test))

    @cached_property
    def _trainers(self) -> "Trainers":
        from pytest_robustseiz.trainers import Trainers

        return Trainers(self.required(), self.scope, self.shared)

    def named_adapter(self) -> "Model | None":
        """The model that the command line names; None where the protocol trains its models."""
        from pytest_robustseiz.detectors import MISSING, load_adapter

        name, protocol = self.required().adapter, self.required().protocol
        if protocol is not None and protocol.trains:
            return None
        if not name:
            raise pytest.UsageError(MISSING)
        self._option_adapter = load_adapter(name, self.device(), task=self.required().task)
        return self._option_adapter

    def check_training(self, given: object, adapter: object) -> None:
        """Fail the test where subjects of the author's fixture `robustseiz_training_subjects` are in the scope."""
        from pytest_robustseiz.training import FIXTURE, TrainingError

        try:
            names = self.scope.all_training_subjects(given)
        except TrainingError as error:
            problem = str(error)
        else:
            self.runner.say_trained(self._checked(adapter), names)
            if text := self.scope.unchecked(names):
                self.runner.say_once(text)
            return
        # Thousands of tests may fail so: the first says it whole, and the summary does.
        text = problem if self.runner.say_once(problem) else f"not run, see the first error: fixture {FIXTURE}"
        pytest.fail(text, pytrace=False)

    def case(self, subject: str, setting: "Shift", adapter: object, limits: Mapping[str, float]) -> "RobustnessCase":
        """See `Runner.case`; skips where the setting has no meaning."""
        with self._skipping([setting], adapter):
            return self.runner.case(subject, setting, self._checked(adapter), limits)

    def experiment(self, setting: "Shift", adapter: object, limits: Mapping[str, float]) -> "RobustnessExperiment":
        """See `Runner.experiment`; skips where the setting has no meaning."""
        with self._skipping([setting], adapter):
            return self.runner.experiment(setting, self._checked(adapter), limits)

    def curve(self, settings: "Sequence[Shift]", adapter: object) -> "RobustnessCurve":
        """See `Runner.curve`; skips where the shift has no meaning."""
        with self._skipping(settings, adapter):
            return self.runner.curve(settings, self._checked(adapter))

    def profile(self, test: pytest.Item, adapter: object) -> "RobustnessProfile":
        """See `Runner.profile`; the settings are those of the test's marker and grid."""
        self.required()
        settings = settings_by_shift(self.items.settings_of(test))
        return self.runner.profile(settings, self._checked(adapter))

    @contextmanager
    def _skipping(self, settings: "Sequence[Shift]", adapter: object) -> Iterator[None]:
        """Turn `NotApplicable` into a skip, and tell the controller; remember whose any other error is."""
        from pytest_robustseiz.shifts import NotApplicable

        try:
            yield
        except NotApplicable as error:
            for setting in settings:
                self.runner.say_not_applicable(setting, str(error))
            pytest.skip(str(error))
        except Exception as error:
            self._raised = (error, adapter)
            raise

    def _culprit_of(self, call: "pytest.CallInfo[None]") -> tuple[str, str]:
        """Name and fingerprint of the adapter whose case raised; empty where the error came from elsewhere."""
        error, adapter = self._raised
        self._raised = (None, None)  # an exception keeps what its frames hold, such as recordings
        if call.excinfo is None or call.excinfo.value is not error:
            return "", ""
        return self.runner.known(adapter)

    def parametrize(self, metafunc: pytest.Metafunc) -> None:
        """Give a test its items, or one that is skipped where no mode was given."""
        test = metafunc.definition
        for name in PARAMETRIZED:
            if name not in metafunc.fixturenames:
                continue
            grouped = self.config.pluginmanager.hasplugin("xdist")
            params = self.items.params(name, test, grouped=grouped) if self.settings else skipped_params(test)
            metafunc.parametrize(name, params, indirect=True)

    def _checked(self, adapter: object) -> "Model | TrainedModels":
        from pytest_robustseiz.detectors import require_adapter, require_predictor
        from pytest_robustseiz.trainedmodels import TrainedModels

        if isinstance(adapter, TrainedModels):
            return adapter
        if self.required().adapter and adapter is not self._option_adapter:
            raise pytest.UsageError(
                "--robustseiz-adapter is given, and a conftest defines robustseiz_adapter too: leave one of them out"
            )
        require = require_predictor if self.required().task is PREDICTION else require_adapter
        return require(adapter, "robustseiz_adapter")


KEY = pytest.StashKey[State]()


def get_state(config: pytest.Config) -> State:
    """State of the run."""
    return config.stash[KEY]
