"""What one process of a run works with: the scope, the store, and a box of messages for the controller."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from pytest_robustseiz.case import Dropout, Loaded, case_key, run_case
from pytest_robustseiz.corpus import RecordingFiles, Subject
from pytest_robustseiz.curves import RobustnessCurve
from pytest_robustseiz.handles import RobustnessCase, RobustnessExperiment
from pytest_robustseiz.limits import ConfiguredLimits
from pytest_robustseiz.loading import Recordings
from pytest_robustseiz.messages import CaseDone, Message, NotMeaningful, PooledLimit, Remark, TrainedOn, to_json
from pytest_robustseiz.models import GivenModel, Identity
from pytest_robustseiz.options import Settings
from pytest_robustseiz.predictioncase import read_stretch, run_prediction_case
from pytest_robustseiz.profiles import RobustnessProfile
from pytest_robustseiz.results import CaseResult, ExperimentResult, SettingInfo
from pytest_robustseiz.shifts import Attack, Baseline, NotApplicable, Shift
from pytest_robustseiz.store import ContentHashes, Store, Wanted
from pytest_robustseiz.tasks import PREDICTION
from pytest_robustseiz.trainedmodels import TrainedModels
from pytest_robustseiz.visit import Model, beside_model

Tested = Model | TrainedModels
Models = GivenModel | TrainedModels


class AgreementError(RuntimeError):
    """The agreement stage was asked for by name, and the detector cannot do it."""


@runtime_checkable
class Remarking(Protocol):
    """An adapter that notes what a run should say at its end; `TorchAdapter` does."""

    def take_remarks(self) -> list[str]:
        """What was noted since the last call."""
        ...


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
        self._given: dict[int, GivenModel] = {}
        self._dropout = Dropout(settings.passes, settings.tau) if settings.agreement_is_on else None
        self._told: set[tuple[str, str, str]] = set()
        self._said: set[str] = set()
        self._outbox: list[str] = []

    def case(self, subject: str, setting: Shift, adapter: Tested, marked: Mapping[str, float]) -> RobustnessCase:
        """One setting on one subject, and its baseline.

        Raises
        ------
        Exception
            What reading, shifting or detecting raised; see `pytest_robustseiz.case.run_case`.
        """
        [baseline] = self._results([subject], Baseline(), adapter)
        [result] = self._results([subject], setting, adapter)
        return RobustnessCase(result, baseline, self._limits(result.setting, marked))

    def experiment(self, setting: Shift, adapter: Tested, marked: Mapping[str, float]) -> RobustnessExperiment:
        """One setting over the whole scope, and its baseline; raises as `case` does."""
        baseline = self._pooled(Baseline(), adapter)
        result = self._pooled(setting, adapter)
        limits = self._limits(result.setting, marked)
        announce = functools.partial(self._say_judged, self.identity(adapter), setting.label, limits)
        return RobustnessExperiment(
            result, baseline, limits, gate=self.settings.gate, seed=self.settings.seed, announce=announce
        )

    def curve(self, settings: Sequence[Shift], adapter: Tested) -> RobustnessCurve:
        """One shift over its grid, in the order given, and its baseline; raises as `case` does."""
        baseline = self._pooled(Baseline(), adapter)
        return RobustnessCurve(settings[0].name, [self._pooled(setting, adapter) for setting in settings], baseline)

    def profile(self, by_shift: Mapping[str, Sequence[Shift]], adapter: Tested) -> RobustnessProfile:
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

    def say_trained(self, adapter: Tested, subjects: Sequence[str]) -> None:
        """Tell the controller once which subjects the author says a detector was trained on."""
        if not subjects:
            return
        identity = self.identity(adapter)
        self._send_once(TrainedOn(identity.name, identity.fingerprint, " ".join(subjects)))

    def say_once(self, text: str) -> bool:
        """Tell the controller what the summary should say; False where this process has said it already."""
        return self._send_once(Remark(text))

    def _send_once(self, message: Message) -> bool:
        line = to_json(message)
        if line in self._said:
            return False
        self._said.add(line)
        self._outbox.append(line)
        return True

    def _say_judged(self, identity: Identity, label: str, limits: Mapping[str, float]) -> None:
        """Tell the controller which limits a test judges, for what needs all of them."""
        for name, value in limits.items():
            self._outbox.append(to_json(PooledLimit(identity.name, identity.fingerprint, label, name, value)))

    def take_messages(self) -> list[str]:
        """What happened since the last call, for the controller."""
        messages, self._outbox = self._outbox, []
        return messages

    def _pooled(self, setting: Shift, adapter: Tested) -> ExperimentResult:
        cases = self._results(list(self._subjects), setting, adapter)
        return ExperimentResult(cases[0].setting, tuple(cases))

    def identity(self, adapter: Tested) -> Identity:
        """Under which name the results of all subjects stand."""
        return self._models(adapter).group(next(iter(self._subjects)))

    def _limits(self, setting: SettingInfo, marked: Mapping[str, float]) -> dict[str, float]:
        # A project may have limits for both tasks in its pyproject.toml.
        configured = self.limits.limits_for(setting.shift, setting.family, setting.params)
        return {name: limit for name, limit in configured.items() if name in self.settings.task.rules} | dict(marked)

    def _results(self, subjects: Sequence[str], setting: Shift, adapter: Tested) -> list[CaseResult]:
        models = self._models(adapter)
        found = self._store.get_all([self._wanted(name, setting, models) for name in subjects])
        results = []
        for subject, result in zip(subjects, found, strict=True):
            trained = models.identity(subject).fingerprint if isinstance(models, TrainedModels) else ""
            results.append(replace(result, model=trained) if trained else result)
            self._tell(models, results[-1])
            if self.settings.mcd == "on":
                _require_agreement(models.identity(subject).name, result)
        return results

    def _pass_on_remarks(self, adapter: Model) -> None:
        """Tell the controller what the model noted about this process, such as memory that ran out."""
        if isinstance(adapter, Remarking):
            self._outbox += [to_json(Remark(text)) for text in adapter.take_remarks()]

    def _tell(self, models: Models, result: CaseResult) -> None:
        """Each process reports a case once, however many tests ask for it."""
        done = (models.identity(result.subject).key, result.setting.label, result.subject)
        if done not in self._told:
            self._told.add(done)
            group = models.group(result.subject)
            self._outbox.append(to_json(CaseDone(group.name, group.fingerprint, result.to_json())))

    def _wanted(self, subject: str, setting: Shift, models: Models) -> Wanted:
        identity = models.identity(subject)
        key = case_key(
            setting,
            adapter=identity.key,
            seed=self.settings.seed,
            subject=subject,
            contents=self._contents(self._subjects[subject].recordings),
            context=self._contents(models.context(subject)),
            dropout=self._dropout,
            task=self.settings.task,
        )
        compute = functools.partial(self._compute, subject, setting, models)
        return Wanted(key, compute, lasting=bool(identity.fingerprint))

    def _contents(self, recordings: Sequence[RecordingFiles]) -> list[tuple[str, str]]:
        return [(f"{files.folder}/{files.stem}", self._recordings.content(files)) for files in recordings]

    def _compute(self, subject: str, setting: Shift, models: Models) -> CaseResult:
        adapter: Any = models.model(subject)
        loaders = [
            functools.partial(self._load, files, setting, adapter) for files in self._subjects[subject].recordings
        ]
        run: Any = run_case
        if self.settings.task is PREDICTION:
            context = [read_stretch(files) for files in models.context(subject)]
            run = functools.partial(run_prediction_case, context=context)
        try:
            result: CaseResult = run(setting, subject, loaders, adapter, self.settings.seed, dropout=self._dropout)
        finally:
            self._pass_on_remarks(adapter)
        return result

    def _load(self, files: RecordingFiles, setting: Shift, adapter: Model) -> Loaded:
        """A recording where its shift is to run: for some detectors a tensor on a GPU, made for this visit only."""
        loaded = self._recordings.load(files)
        if isinstance(setting, Attack):  # which is no shift of the recording before the detector has it
            return loaded
        eeg = beside_model(loaded.recording.eeg, adapter)
        return replace(loaded, recording=replace(loaded.recording, eeg=eeg))

    def known(self, adapter: object) -> tuple[str, str]:
        """Name and fingerprint of an adapter whose identity has been taken; empty for any other."""
        models = adapter if isinstance(adapter, TrainedModels) else self._given.get(id(adapter))
        found = models.known() if models else None
        return (found.name, found.fingerprint) if found else ("", "")

    def _models(self, adapter: Tested) -> Models:
        """Who serves which subject; the fingerprint of an adapter is taken once."""
        if isinstance(adapter, TrainedModels):
            return adapter
        if id(adapter) not in self._given:
            # The adapter is kept with it, so that its id is not given to another one.
            self._given[id(adapter)] = GivenModel(adapter, len(self._given))
        return self._given[id(adapter)]


def _require_agreement(name: str, result: CaseResult) -> None:
    for recording in result.recordings:
        if recording.no_agreement:
            raise AgreementError(f"--robustseiz-mcd=on: {recording.no_agreement} ({name}, {recording.stem})")
