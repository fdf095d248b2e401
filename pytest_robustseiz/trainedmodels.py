"""Models that a run trains, one for each tested subject, as protocols 1 and 2 of SzPredict ask for."""

import hashlib
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

from pytest_robustseiz.adapters.prediction import PredictionAdapter
from pytest_robustseiz.corpus import RecordingFiles, Subject
from pytest_robustseiz.detectors import require_predictor
from pytest_robustseiz.models import Identity
from pytest_robustseiz.protocols import Protocol, ProtocolError
from pytest_robustseiz.protocolsplits import trained_on
from pytest_robustseiz.store import ContentHashes, write_atomically
from pytest_robustseiz.trainingapart import require_other_signals, require_other_times
from pytest_robustseiz.trainingset import TrainingSet

Train = Callable[[TrainingSet], PredictionAdapter]

_numbers = itertools.count()


class TrainingFailed(RuntimeError):
    """There is no model for a subject, since training raised; said at once each time that it is asked for again."""


class TrainedModels:
    """Trains a model for each tested subject when it is first needed, once in a process, and keeps it.

    What a model is can only be known by training it, so every session trains each subject anew; of a model that comes
    out the same, what is in the store is found there.

    Parameters
    ----------
    train : callable
        The author's: takes a `TrainingSet`, returns a predictor. It never sees a tested recording.
    protocol : Protocol
        Which recordings it gets.
    corpus, tested : sequence of Subject
        All subjects, and those that are tested, with the recordings that are.
    hashes : ContentHashes
        By which recordings are told apart, whatever they are called.
    shared : Path or None
        Folder of this session and this callable in which workers tell each other what they trained; None where there is
        one process.
    """

    def __init__(
        self,
        train: Train,
        protocol: Protocol,
        corpus: Sequence[Subject],
        tested: Sequence[Subject],
        *,
        hashes: ContentHashes,
        shared: Path | None = None,
    ) -> None:
        self.protocol = protocol
        self._train = train
        self._corpus = tuple(corpus)
        self._tested = {subject.name: subject for subject in tested}
        self._hashes = hashes
        self._shared = shared
        self._number = next(_numbers)
        self._files: dict[str, tuple[RecordingFiles, ...]] = {}
        self._identities: dict[str, Identity] = {}
        self._models: dict[str, PredictionAdapter] = {}
        self._failed: dict[str, str] = {}

    def group(self, subject: str) -> Identity:
        """Under which name results of all subjects stand together: their models differ, the way to them does not."""
        found = self.identity(subject)
        return Identity(found.name, f"protocol {self.protocol.number}" if found.fingerprint else "", found.name)

    def known(self) -> Identity | None:
        """The same, where any model has been trained."""
        return self.group(next(iter(self._identities))) if self._identities else None

    def identity(self, subject: str) -> Identity:
        """Who the model of a subject is; trains it, unless this or another worker has.

        Raises
        ------
        Exception
            As `model`.
        """
        if subject not in self._identities:
            told = self._told(subject)
            if told is None or not told.fingerprint:
                self.model(subject)
            else:
                self._note(subject, told)
        return self._identities[subject]

    def model(self, subject: str) -> PredictionAdapter:
        """The model of a subject.

        Raises
        ------
        ProtocolError
            When the recordings of training and test are not apart, training is not reproducible or changes the model of
            another subject, or models of different subjects have different names.
        pytest.UsageError
            When the author's callable returns no predictor.
        TrainingFailed
            When it raised, or there was no model for any of these reasons before.
        """
        if subject in self._failed:
            raise TrainingFailed(f"no model for {subject}, as was said at first: {self._failed[subject]}")
        if subject not in self._models:
            try:
                self._models[subject] = self._trained(subject)
            except Exception as error:
                self._failed[subject] = f"{type(error).__name__}: {error}"  # the text: an exception keeps all arrays
                raise
        return self._models[subject]

    def context(self, subject: str) -> tuple[RecordingFiles, ...]:
        """Recordings of a tested subject that its model was trained on."""
        return self._training(subject) if self.protocol.number == 1 else ()

    def _training(self, subject: str) -> tuple[RecordingFiles, ...]:
        if subject not in self._files:
            self._files[subject] = trained_on(self.protocol, self._corpus, subject)
        return self._files[subject]

    def _trained(self, subject: str) -> PredictionAdapter:
        files, tested = self._training(subject), self._tested[subject].recordings
        require_other_signals(files, tested, lambda one: self._hashes.of(one.eeg))
        if self.protocol.number == 1:
            require_other_times(files, tested)
        last = next(reversed(self._models.values()), None)
        before = None if last is None else last.fingerprint()
        model = require_predictor(self._call(subject, TrainingSet(files)), "robustseiz_train")
        if last is not None and (last.fingerprint() != before or (before is None and self._has(model))):
            self._give_up(subject)
        fingerprint = model.fingerprint() or ""
        key = fingerprint or f"trained for {subject}, callable {self._number} of this process"
        found = Identity(model.name, fingerprint, f"{model.name} {key}")
        self._note(subject, found)
        if self._shared is not None:
            self._shared.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(self._shared, subject), json.dumps(asdict(found)))
        return model

    def _call(self, subject: str, training: TrainingSet) -> object:
        try:
            return self._train(training)
        except Exception as error:  # the author's code: anything can come out of it
            raise TrainingFailed(
                f"robustseiz_train failed for {subject}, on {len(training)} recordings of {len(training.subjects)} "
                f"subjects: {type(error).__name__}: {error}"
            ) from error

    def _has(self, model: PredictionAdapter) -> bool:
        return any(model is own for own in self._models.values())

    def _give_up(self, subject: str) -> NoReturn:
        """Raise, and use no earlier model any more: it may be the one of this subject now."""
        text = f"training for {subject} changed an earlier model; build a new one each time robustseiz_train is called"
        self._failed |= dict.fromkeys(self._models, text)
        raise ProtocolError(text)

    def _note(self, subject: str, found: Identity) -> None:
        """Keep who a model is, when that fits what is known."""
        known = self._identities.get(subject) or self._told(subject)
        if known is not None and known != found and known.fingerprint:
            raise ProtocolError(
                f"training for {subject} is not reproducible: it gave {known.name} {known.fingerprint[:12]} before and "
                f"{found.name} {found.fingerprint[:12]} now; seed everything that is random in robustseiz_train"
            )
        for other, own in self._identities.items():
            if own.name != found.name:
                raise ProtocolError(
                    f"robustseiz_train names its model {own.name!r} for {other} and {found.name!r} for {subject}; give "
                    "the models of all subjects one name, under which their results are pooled"
                )
        self._identities[subject] = found

    def _told(self, subject: str) -> Identity | None:
        if self._shared is None:
            return None
        path = self._path(self._shared, subject)
        return Identity(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None

    def _path(self, folder: Path, subject: str) -> Path:
        return folder / f"{hashlib.sha256(subject.encode()).hexdigest()[:16]}.json"
