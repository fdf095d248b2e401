"""Models that a run trains, one for each tested subject, as protocols 1 and 2 of SzPredict ask for."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from pytest_robustseiz.adapters.prediction import PredictionAdapter
from pytest_robustseiz.corpus import Subject
from pytest_robustseiz.detectors import require_predictor
from pytest_robustseiz.models import Identity
from pytest_robustseiz.protocols import Protocol, ProtocolError, trained_on
from pytest_robustseiz.recording import read_recording
from pytest_robustseiz.store import write_atomically
from pytest_robustseiz.trainingset import TrainingSet

Train = Callable[[TrainingSet], PredictionAdapter]


class TrainedModels:
    """Trains a model for each tested subject when it is first needed, and keeps the one of the subject at hand.

    Parameters
    ----------
    train : callable
        The author's: takes a `TrainingSet`, returns a predictor. It never sees a tested recording.
    protocol : Protocol
        Which recordings it gets.
    corpus, tested : sequence of Subject
        All subjects, and those that are tested, with the recordings that are.
    shared : Path or None
        Folder of this session in which workers tell each other what they trained; None where there is one process.
    """

    def __init__(
        self,
        train: Train,
        protocol: Protocol,
        corpus: Sequence[Subject],
        tested: Sequence[Subject],
        shared: Path | None,
    ) -> None:
        self.protocol = protocol
        self._train = train
        self._corpus = tuple(corpus)
        self._tested = {subject.name: subject for subject in tested}
        self._shared = shared
        self._identities: dict[str, Identity] = {}
        self._kept: tuple[str, PredictionAdapter] | None = None

    def group(self, subject: str) -> Identity:
        """Under which name results of all subjects stand together: their models differ, the way to them does not."""
        name = self.identity(subject).name
        return Identity(name, f"trained by protocol {self.protocol.number}", name)

    def identity(self, subject: str) -> Identity:
        """Who the model of a subject is; trains it, unless this or another worker has."""
        if subject not in self._identities:
            told = self._told(subject)
            if told is None or not told.fingerprint:
                self.model(subject)
            else:
                self._identities[subject] = told
        return self._identities[subject]

    def model(self, subject: str) -> PredictionAdapter:
        """The model of a subject.

        Raises
        ------
        ProtocolError
            When the recordings of training and test are not apart in time, or training is not reproducible.
        pytest.UsageError
            When the author's callable returns no predictor.
        """
        if self._kept is None or self._kept[0] != subject:
            self._kept = (subject, self._trained(subject))
        return self._kept[1]

    def _trained(self, subject: str) -> PredictionAdapter:
        files = trained_on(self.protocol, self._corpus, subject)
        tested = self._tested[subject]
        both = set(files) & set(tested.recordings)
        if both:
            raise ProtocolError(f"{subject}: {len(both)} recordings are in both training and test")
        if self.protocol.number == 1:
            _require_earlier(TrainingSet(files), tested)
        model = require_predictor(self._train(TrainingSet(files)), "robustseiz_train")
        fingerprint = model.fingerprint() or ""
        key = fingerprint or f"trained for {subject} in this process"
        self._remember(subject, Identity(model.name, fingerprint, f"{model.name} {key}"))
        return model

    def _remember(self, subject: str, found: Identity) -> None:
        known = self._identities.get(subject) or self._told(subject)
        if known is not None and known != found and known.fingerprint:
            raise ProtocolError(
                f"training for {subject} is not reproducible: it gave {known.name} {known.fingerprint[:12]} before and "
                f"{found.name} {found.fingerprint[:12]} now; seed everything that is random in robustseiz_train"
            )
        self._identities[subject] = found
        if self._shared is not None:
            self._shared.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(self._shared, subject), json.dumps(asdict(found)))

    def _told(self, subject: str) -> Identity | None:
        if self._shared is None:
            return None
        path = self._path(self._shared, subject)
        return Identity(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None

    def _path(self, folder: Path, subject: str) -> Path:
        words = f"{self.protocol.number} {subject}".encode()
        return folder / f"{hashlib.sha256(words).hexdigest()[:16]}.json"


def _require_earlier(training: TrainingSet, tested: Subject) -> None:
    """Check that names sort as time passes, where the recordings say when they began."""
    before = [(files, read_recording(files).start) for files in training.files]
    after = [(files, read_recording(files).start) for files in tested.recordings]
    late = max(((start, files.stem) for files, start in before if start is not None), default=None)
    early = min(((start, files.stem) for files, start in after if start is not None), default=None)
    if late is not None and early is not None and late[0] > early[0]:
        raise ProtocolError(
            f"{tested.name}: {late[1]} is for training and began at {late[0]}, after {early[1]} ({early[0]}), which is "
            "tested; name the recordings so that they sort by time"
        )
