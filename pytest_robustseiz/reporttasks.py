"""What is shown of which task."""

from collections.abc import Iterable

from pytest_robustseiz import reportdetection, reportprediction
from pytest_robustseiz.registry import task_of_header
from pytest_robustseiz.reportdata import Chapter
from pytest_robustseiz.reportview import View

VIEWS: dict[str, View] = {view.task.name: view for view in (reportdetection.VIEW, reportprediction.VIEW)}


def view_of(chapter: Chapter) -> View:
    """The view of a chapter, by the columns of its rows."""
    return view_of_header(chapter.first.row)


def view_of_header(header: Iterable[str]) -> View:
    """The view of rows with such columns."""
    return VIEWS[task_of_header(header).name]
