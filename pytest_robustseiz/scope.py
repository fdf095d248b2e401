"""The scope of a run: its subjects, the corpus that they are of, and that the detector has not seen them."""

from functools import cached_property
from pathlib import Path

import pytest

from pytest_robustseiz.corpus import CorpusError, Subject, discover
from pytest_robustseiz.corpusfacts import CorpusFacts, read_corpus_facts
from pytest_robustseiz.options import Settings, cache_folder
from pytest_robustseiz.protocols import ProtocolError, describe, tested
from pytest_robustseiz.tasks import PREDICTION
from pytest_robustseiz.training import (
    FIXTURE,
    OPTION,
    TrainingError,
    check_training_subjects,
    read_training_subjects,
    require_disjoint,
)


class Scope:
    """Subjects of a run, found by names only; no EEG file is opened.

    Parameters
    ----------
    settings : Settings
        Of the run.
    config : pytest.Config
        Of the session.
    """

    def __init__(self, settings: Settings, config: pytest.Config) -> None:
        self._settings = settings
        self._config = config

    def check(self) -> None:
        """Raise pytest.UsageError when the corpus or the file of training subjects cannot be used."""
        _ = self.subjects
        _ = self.facts
        try:
            require_disjoint(self.training_subjects, self.names, source=OPTION)
        except TrainingError as error:
            raise pytest.UsageError(str(error)) from error

    @cached_property
    def folder(self) -> Path:
        """Folder of the corpus; the synthetic one is made on first use."""
        if self._settings.data != "demo":
            return Path(self._settings.data)
        if self._settings.task is PREDICTION:
            from pytest_robustseiz.demo_prediction import demo_prediction_corpus

            return demo_prediction_corpus(cache_folder(self._config, "robustseiz-demo-prediction"))
        from pytest_robustseiz.demo_corpus import demo_corpus

        return demo_corpus(cache_folder(self._config, "robustseiz-demo"))

    @cached_property
    def corpus(self) -> tuple[Subject, ...]:
        """All subjects of the corpus.

        Raises
        ------
        pytest.UsageError
            When there is no such corpus.
        """
        try:
            return discover(self.folder)
        except CorpusError as error:
            raise pytest.UsageError(f"--robustseiz-data: {error}") from error

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """Those that are evaluated, each with the recordings that are.

        Raises
        ------
        pytest.UsageError
            When the corpus has none for the protocol.
        """
        found, protocol = self.corpus, self._settings.protocol
        if protocol is not None:
            try:
                found = tested(protocol, found)
            except ProtocolError as error:
                raise pytest.UsageError(f"--robustseiz-protocol={protocol.number}: {error}") from error
        return found[: self._settings.subjects] if self._settings.mode == "subset" else found

    @cached_property
    def names(self) -> list[str]:
        """Their folder names."""
        return [subject.name for subject in self.subjects]

    @cached_property
    def facts(self) -> CorpusFacts:
        """What the corpus says of itself.

        Raises
        ------
        pytest.UsageError
            When its description cannot be read.
        """
        try:
            return read_corpus_facts(self.folder, self.names)
        except CorpusError as error:
            raise pytest.UsageError(f"--robustseiz-data: {error}") from error

    @cached_property
    def training_subjects(self) -> tuple[str, ...]:
        """Training subjects of the file, as folder names; empty where none is given.

        Raises
        ------
        pytest.UsageError
            When it cannot be used.
        """
        path = self._settings.training_subjects
        if path is None:
            return ()
        try:
            return read_training_subjects(path)
        except TrainingError as error:
            raise pytest.UsageError(f"{OPTION}: {error}") from error

    def all_training_subjects(self, given: object) -> tuple[str, ...]:
        """Training subjects of the author's fixture and of the file.

        Parameters
        ----------
        given : object
            What the fixture returned.

        Raises
        ------
        TrainingError
            When it is not a list of names, or some are in the scope.
        """
        names = check_training_subjects(given)
        require_disjoint(names, self.names, source=f"fixture {FIXTURE}")
        return tuple(sorted({*names, *self.training_subjects}))

    def header(self) -> list[str]:
        """Lines above the tests: what the run covers."""
        recordings = sum(len(subject.recordings) for subject in self.subjects)
        settings, facts = self._settings, str(self.facts)
        lines = [
            f"robustseiz: {settings.mode} of {settings.data}: {len(self.subjects)} subjects, {recordings} recordings; "
            f"seed {settings.seed}; store {settings.store}"
        ]
        if settings.task is PREDICTION:
            lines.append(f"robustseiz task: prediction; {describe(settings.protocol, self.corpus)}")
        return [*lines, f"robustseiz corpus: {facts}"] if facts else lines
