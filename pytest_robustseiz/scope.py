"""The scope of a run: its subjects, the corpus that they are of, and that the detector has not seen them."""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path

import pytest

from pytest_robustseiz.corpus import CorpusError, Subject, discover
from pytest_robustseiz.corpusfacts import CorpusFacts, read_corpus_facts
from pytest_robustseiz.options import Settings, cache_folder
from pytest_robustseiz.protocols import ProtocolError, case_number
from pytest_robustseiz.protocolsplits import describe, subjects_tested
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
    """Subjects of a run, found by names, and by protocol 1 by the times in events tables; no EEG file is opened.

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
        protocol, most = self._settings.protocol, self._settings.subjects if self._settings.mode == "subset" else None
        if protocol is None:
            return self.corpus[:most]
        try:
            return subjects_tested(protocol, self.corpus, most=most)
        except ProtocolError as error:
            raise pytest.UsageError(f"--robustseiz-protocol={protocol.number}: {error}") from error

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
            return self._as_in_corpus(read_training_subjects(path))
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
        names = self._as_in_corpus(check_training_subjects(given))
        require_disjoint(names, self.names, source=f"fixture {FIXTURE}")
        return tuple(sorted({*names, *self.training_subjects}))

    def unchecked(self, training: Collection[str]) -> str:
        """What to say where a protocol tests a model of which nobody named the training; empty otherwise."""
        protocol = self._settings.protocol
        if training or protocol is None or protocol.trains:
            return ""
        return (
            f"protocol {protocol.number}: no subjects of the training were named ({OPTION}, or fixture {FIXTURE}), so "
            "whether the model has seen a test subject was not checked"
        )

    def _as_in_corpus(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names as the folders of the corpus have them: to a protocol, chb02, sub-chb02, sub-2 and sub-02 are one."""
        if self._settings.protocol is None:
            return tuple(names)
        known = {case_number(subject.name): subject.name for subject in self.corpus}
        known.pop(None, None)
        return tuple(sorted({known.get(case_number(name), name) for name in names}))

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
