"""Profiles as syrupy snapshots: one readable file per profile, compared with a tolerance per metric.

Needs the extra `snapshots`.
"""

from collections.abc import Iterator
from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from pytest_robustseiz.profiles import RobustnessProfile, differences, from_text, to_text

__all__ = ["RobustnessSnapshotExtension"]


class RobustnessSnapshotExtension(SingleFileSnapshotExtension):
    """Use as `assert robustseiz_profile == snapshot(extension_class=RobustnessSnapshotExtension)`.

    With `snapshot.use_extension(RobustnessSnapshotExtension)` a failure lists each changed cell as old -> new; with the
    form above syrupy shows its own diff of the text. A file per snapshot, so that workers never write to one file.
    """

    file_extension = "robustseiz.toml"
    _write_mode = WriteMode.TEXT

    def serialize(self, data: object, **kwargs: Any) -> str:
        """Write a profile, or its `table()`, as TOML.

        Raises
        ------
        TypeError
            For anything else.
        """
        table = data.table() if isinstance(data, RobustnessProfile) else data
        if not isinstance(table, dict):
            raise TypeError(f"expected robustseiz_profile or its table(), got {type(data).__name__}")
        return to_text(table)

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Whether no cell differs by more than its tolerance."""
        return not differences(from_text(snapshot_data), from_text(serialized_data))

    def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
        """Each changed cell as old -> new."""
        yield from differences(from_text(snapshot_data), from_text(serialized_data))
