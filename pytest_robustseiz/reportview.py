"""What pages and documents show of a task, as data: one `View` for each task."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_robustseiz.documents import Block
from pytest_robustseiz.intervals import Figure, Floats
from pytest_robustseiz.reportdata import Chapter, Entry
from pytest_robustseiz.tasks import Task

Fields = Iterable[tuple[str, str | None]]


@dataclass(frozen=True)
class Column:
    """How a column of the registry is shown.

    Attributes
    ----------
    title : str
        Head.
    digits : int
        Behind the point.
    """

    title: str
    digits: int = 3


@dataclass(frozen=True)
class Statement:
    """A sentence about a chapter.

    Attributes
    ----------
    text : str
        In plain words.
    warns : bool
        Whether it says that figures do not mean what they seem to.
    """

    text: str
    warns: bool = False


@dataclass(frozen=True, kw_only=True)
class Page:
    """The report page and the step summary.

    Attributes
    ----------
    scope : callable
        What stands in the title of a chapter, of any of its entries.
    meaning : callable
        What the retained headline means, of a chapter.
    statements : callable
        What must be known before any figure of a chapter is read.
    heat : mapping of str to Column
        Of each shift the worst value.
    boxes : mapping of str to Column
        Of the baseline, at the top.
    curves : mapping of str to str
        Drawn over the grid, with their titles.
    levels : callable
        Lines of a curve beside the baseline, by name, of a column and a chapter.
    timing : callable
        Drawing of when events were noticed, of a shift's name, the baseline and the settings.
    worst : mapping of str to Column
        Of the worst settings, beside the headline.
    settings : mapping of str to Column
        Of all settings.
    flags : mapping of str to str
        Columns with a word where something is wrong with a setting, and their heads.
    subjects_need : str
        Whom the headline applies to.
    no_subjects : str
        Why nothing is known of single subjects.
    over_subjects : callable
        What else a chapter says of its subjects, as HTML.
    pictures : str
        Which EEG is shown.
    no_pictures : str
        Why there is none to show.
    identity : tuple of str
        Columns that all experiments share.
    """

    scope: Callable[[Entry], str]
    meaning: Callable[[Chapter], str]
    statements: Callable[[Chapter], Sequence[Statement]]
    heat: Mapping[str, Column]
    boxes: Mapping[str, Column]
    curves: Mapping[str, str]
    levels: Callable[[str, Chapter], Mapping[str, float]]
    timing: Callable[[str, Entry | None, Sequence[Entry]], str]
    worst: Mapping[str, Column]
    settings: Mapping[str, Column]
    flags: Mapping[str, str]
    subjects_need: str
    no_subjects: str
    over_subjects: Callable[[Chapter], Iterator[str]]
    pictures: str
    no_pictures: str
    identity: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Card:
    """The model card and the checklist.

    Attributes
    ----------
    results : mapping of str to str
        Figures of which the ranges over families are given, and how the card calls them.
    meaning : str
        What these ranges are.
    heads : tuple of str
        Of the baseline's scores.
    scores : callable
        The baseline's scores, from the summed counts of entries.
    stages : str
        Of the evaluation.
    evaluation : callable
        What else is said of the evaluation of a chapter.
    blocks : callable
        Further sections of the card on a chapter, given the name of its corpus.
    titles : mapping of str to str
        How facts of the author are called, where not as usual.
    disjoint : callable
        Whether the subjects are disjoint from those of the training, where the run trained the models; else None.
    scoring, timing : callable
        Rows of the checklist on a chapter.
    """

    results: Mapping[str, str]
    meaning: str
    heads: tuple[str, ...]
    scores: Callable[[Sequence[Entry]], Iterable[str]]
    stages: str
    evaluation: Callable[[Chapter], Fields]
    blocks: Callable[[Chapter, str], Sequence[Block]]
    titles: Mapping[str, str]
    disjoint: Callable[[Entry], str | None]
    scoring: Callable[[Entry], Fields]
    timing: Callable[[Chapter], Fields]


@dataclass(frozen=True, kw_only=True)
class Board:
    """The table of several detectors.

    Attributes
    ----------
    retained : str
        What the table's CSV form calls the retained headline.
    baseline : mapping of str to (str, Column)
        Columns of the baseline: what the CSV form calls them, and how they are shown.
    needed : tuple of str
        Columns that rows must have.
    alike : tuple of str
        Columns beside the scope that must be the same for all.
    remarks : callable
        What a baseline says against what it retains.
    """

    retained: str
    baseline: Mapping[str, tuple[str, Column]]
    needed: tuple[str, ...]
    alike: tuple[str, ...]
    remarks: Callable[[Entry], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class View:
    """All of a task.

    Attributes
    ----------
    task : Task
        The task.
    noun : str
        What is tested.
    figure : str
        The headline as `pytest_robustseiz.intervals` calls it.
    short : str
        The headline where there is little room.
    too_few : callable
        Why an interval of the headline cannot be given, of the counts of subjects, shape (n_sides, n_counts,
        n_subjects), the baseline's first; empty where it can.
    needed : tuple of str
        Columns that rows must have for a report.
    group : tuple of str
        Columns in which rows of one chapter agree, beside those of any task.
    no_subjects : str
        What a report from a registry says of settings whose subjects are not known.
    nothing_to_retain : callable
        Whether a baseline is so bad that what it retains means nothing.
    """

    task: Task
    noun: str
    figure: Figure
    short: str
    too_few: Callable[[Floats], str]
    needed: tuple[str, ...]
    group: tuple[str, ...]
    no_subjects: str
    nothing_to_retain: Callable[[Entry], bool]
    page: Page
    card: Card
    board: Board

    @property
    def headline(self) -> Column:
        """How the headline is shown."""
        title = self.task.title
        return Column(title[0].upper() + title[1:])
