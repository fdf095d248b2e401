"""What one process of a run works with: the scope, the store, and a box of messages for the controller."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pytest_robustseiz.adapters import Adapter
from pytest_robustseiz.case import Dropout, case_key, run_case
from pytest_robustseiz.corpus import Subject
from pytest_robustseiz.curves import RobustnessCurve
from pytest_robustseiz.handles import RobustnessCase, RobustnessExperiment
from pytest_robustseiz.limits import ConfiguredLimits
from pytest_robustseiz.loading import Recordings
from pytest_robustseiz.messages import CaseDone, NotMeaningful, PooledLimit, Remark, to_json
from pytest_robustseiz.options import Settings
from pytest_robustseiz.profiles import RobustnessProfile
from pytest_robustseiz.results import CaseResult, ExperimentResult, SettingInfo
from pytest_robustseiz.shifts import Baseline, NotApplicable, Shift
from pytest_robustseiz.store import ContentHashes, Store, Wanted


class AgreementError(RuntimeError):
    """The agreement stage was asked for by name, and the detector cannot do it."""


@runtime_checkable
class Remarking(Protocol):
    """An adapter that notes what a run should say at its end; `TorchAdapter` does."""

    def take_remarks(self) -> list[str]:
        """What was noted since the last call."""
        ...


@dataclass(frozen=True)
class Identity:
    """A detector as results know it.

    Attributes
    ----------
    name, fingerprint : str
        The fingerprint is empty where the detector has none.
    key : str
        What stands for the detector in the key of a case.
    """

    name: str
    fingerprint: str
    key: str


class Runner:
    """Results for the fixtures.

    Parameters
    ----------
    settings : Settings
        Of the run.
    subjects : sequence of Subject
        The scope.
    limits : ConfiguredLimits
        Of the model's pyproject.toml.
    """

    def __init__(self, settings: Settings, subjects: Sequence[Subject], limits: ConfiguredLimits) -> None:
        self.settings = settings
        self.limits = limits
        self._subjects = {subject.name: subject for subject in subjects}
        self._store = Store(settings.store)
        self._recordings = Recordings(ContentHashes(settings.store))
        self._identities: dict[int, tuple[Adapter, Identity]] = {}
        self._dropout = Dropout(settings.passes, settings.tau) if settings.agreement_is_on else None
        self._told: set[tuple[str, str, str]] = set()
        self._outbox: list[str] = []

    def case(self, subject: str, setting: Shift, adapter: Adapter, marked: Mapping[str, float]) -> RobustnessCase:
        """One setting on one subject, and its baseline.

        Raises
        ------
        Exception
            What reading, shifting or detecting raised; see `pytest_robustseiz.case.run_case`.
        """
        [baseline] = self._results([subject], Baseline(), adapter)
        [result] = self._results([subject], setting, adapter)
        return RobustnessCase(result, baseline, self._limits(result.setting, marked))

    def experiment(self, setting: Shift, adapter: Adapter, marked: Mapping[str, float]) -> RobustnessExperiment:
        """One setting over the whole scope, and its baseline; raises as `case` does."""
        baseline = self._pooled(Baseline(), adapter)
        result = self._pooled(setting, adapter)
        limits = self._limits(result.setting, marked)
        announce = functools.partial(self._say_judged, self._identity(adapter), setting.label, limits)
        return RobustnessExperiment(
            result, baseline, limits, gate=self.settings.gate, seed=self.settings.seed, announce=announce
        )

    def curve(self, settings: Sequence[Shift], adapter: Adapter) -> RobustnessCurve:
        """One shift over its grid, in the order given, and its baseline; raises as `case` does."""
        baseline = self._pooled(Baseline(), adapter)
        return RobustnessCurve(settings[0].name, [self._pooled(setting, adapter) for setting in settings], baseline)

    def profile(self, by_shift: Mapping[str, Sequence[Shift]], adapter: Adapter) -> RobustnessProfile:
        """All curves; shifts that have no meaning for this corpus or detector are left out, and said so."""
        curves = {}
        for shift, settings in by_shift.items():
            try:
                curves[shift] = self.curve(settings, adapter)
            except NotApplicable as error:
                for setting in settings:
                    self.say_not_applicable(setting, str(error))
        return RobustnessProfile(self._pooled(Baseline(), adapter), curves)

    def say_not_applicable(self, setting: Shift, reason: str) -> None:
        """Tell the controller that a setting has no meaning for this corpus."""
        self._outbox.append(to_json(NotMeaningful(setting.label, reason)))

    def _say_judged(self, identity: Identity, label: str, limits: Mapping[str, float]) -> None:
        """Tell the controller which limits a test judges, for what needs all of them."""
        for name, value in limits.items():
            self._outbox.append(to_json(PooledLimit(identity.name, identity.fingerprint, label, name, value)))

    def take_messages(self) -> list[str]:
        """What happened since the last call, for the controller."""
        messages, self._outbox = self._outbox, []
        return messages

    def _pooled(self, setting: Shift, adapter: Adapter) -> ExperimentResult:
        cases = self._results(list(self._subjects), setting, adapter)
        return ExperimentResult(cases[0].setting, tuple(cases))

    def _limits(self, setting: SettingInfo, marked: Mapping[str, float]) -> dict[str, float]:
        return self.limits.limits_for(setting.shift, setting.family, setting.params) | dict(marked)

    def _results(self, subjects: Sequence[str], setting: Shift, adapter: Adapter) -> list[CaseResult]:
        identity = self._identity(adapter)
        results = self._store.get_all([self._wanted(name, setting, adapter, identity) for name in subjects])
        self._pass_on_remarks(adapter)
        for result in results:
            self._tell(identity, result)
            if self.settings.mcd == "on":
                _require_agreement(adapter, result)
        return results

    def _pass_on_remarks(self, adapter: Adapter) -> None:
        """Tell the controller what the detector noted about this process, such as memory that ran out."""
        if isinstance(adapter, Remarking):
            self._outbox += [to_json(Remark(text)) for text in adapter.take_remarks()]

    def _tell(self, identity: Identity, result: CaseResult) -> None:
        """Each process reports a case once, however many tests ask for it."""
        done = (identity.key, result.setting.label, result.subject)
        if done not in self._told:
            self._told.add(done)
            self._outbox.append(to_json(CaseDone(identity.name, identity.fingerprint, result.to_json())))

    def _wanted(self, subject: str, setting: Shift, adapter: Adapter, identity: Identity) -> Wanted:
        recordings = self._subjects[subject].recordings
        key = case_key(
            setting,
            adapter=identity.key,
            seed=self.settings.seed,
            subject=subject,
            contents=[(f"{files.folder}/{files.stem}", self._recordings.content(files)) for files in recordings],
            dropout=self._dropout,
        )
        loaders = [functools.partial(self._recordings.load, files) for files in recordings]
        compute = functools.partial(
            run_case, setting, subject, loaders, adapter, self.settings.seed, dropout=self._dropout
        )
        return Wanted(key, compute, lasting=bool(identity.fingerprint))

    def _identity(self, adapter: Adapter) -> Identity:
        """Fingerprint of a detector, taken once."""
        if id(adapter) not in self._identities:
            fingerprint = adapter.fingerprint() or ""
            key = fingerprint or f"{adapter.name}, object {len(self._identities)} of this process"
            # The adapter is kept too, so that its id is not given to another one.
            self._identities[id(adapter)] = (adapter, Identity(adapter.name, fingerprint, f"{adapter.name} {key}"))
        return self._identities[id(adapter)][1]


def _require_agreement(adapter: Adapter, result: CaseResult) -> None:
    for recording in result.recordings:
        if recording.no_agreement:
            raise AgreementError(f"--robustseiz-mcd=on: {recording.no_agreement} ({adapter.name}, {recording.stem})")
