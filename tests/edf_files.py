"""EDF, BDF and corpus files written byte by byte, so that headers can hold what no library would write."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pytest_robustseiz.corpus import RecordingFiles
from pytest_robustseiz.montage import DOUBLE_BANANA, ELECTRODES
from pytest_robustseiz.recording import Recording, read_recording

EVENT_COLUMNS = "onset\tduration\teventType\tconfidence\tchannels\tdateTime\trecordingDuration"
SECONDS = 4
N = 256 * SECONDS  # samples of the recordings that `read` makes


@dataclass
class Channel:
    """One signal of an EDF file; fields of the header as bytes, `digital` flat over all records."""

    label: bytes
    digital: npt.NDArray[np.int64]
    unit: bytes = b"uV"
    physical: tuple[bytes, bytes] = (b"-3276.8", b"3276.7")
    digital_range: tuple[bytes, bytes] = (b"-32768", b"32767")


@dataclass
class EdfFile:
    """An EDF file (BDF with `bdf`); gain is 0.1 uV a step and offset 0 unless a channel says otherwise."""

    channels: Sequence[Channel]
    n_records: int
    record_s: bytes = b"1"
    stated_records: bytes | None = None
    header_bytes: bytes | None = None
    reserved: bytes = b""
    bdf: bool = False
    tail: bytes = field(default=b"")

    def encode(self) -> bytes:
        n = len(self.channels)
        spr = [len(c.digital) // self.n_records for c in self.channels]
        main = [(b"\xffBIOSEMI" if self.bdf else b"0", 8), (b"X X X X", 80), (b"Startdate X X X X", 80)]
        main += [(b"01.01.85", 8), (b"00.00.00", 8), (self.header_bytes or str(256 * (n + 1)).encode(), 8)]
        main += [(self.reserved, 44), (self.stated_records or str(self.n_records).encode(), 8), (self.record_s, 8)]
        main += [(str(n).encode(), 4)]
        fields = [[(c.label, 16) for c in self.channels], [(b"", 80)] * n, [(c.unit, 8) for c in self.channels]]
        fields += [[(c.physical[i], 8) for c in self.channels] for i in (0, 1)]
        fields += [[(c.digital_range[i], 8) for c in self.channels] for i in (0, 1)]
        fields += [[(b"", 80)] * n, [(str(count).encode(), 8) for count in spr], [(b"", 32)] * n]
        header = b"".join(value.ljust(width) for value, width in [*main, *(cell for row in fields for cell in row)])
        return header + self._records() + self.tail

    def _records(self) -> bytes:
        parts = []
        for i in range(self.n_records):
            for c in self.channels:
                samples = c.digital.reshape(self.n_records, -1)[i]
                parts.append(_int24(samples) if self.bdf else samples.astype("<i2").tobytes())
        return b"".join(parts)


def _int24(samples: npt.NDArray[np.int64]) -> bytes:
    return samples.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def noise(n: int, *, seed: int = 0, sd: float = 300) -> npt.NDArray[np.int64]:
    """Whole numbers with a standard deviation of 30 uV at the default gain."""
    return np.round(np.random.default_rng(seed).normal(0, sd, n)).astype(np.int64)


def electrodes(n: int, *, labels: Sequence[str] = ELECTRODES, seed: int = 0) -> list[Channel]:
    """Independent noise under the given labels."""
    return [Channel(label.encode("latin-1"), noise(n, seed=seed + i)) for i, label in enumerate(labels)]


def pairs(n: int) -> list[Channel]:
    """Independent noise under the 18 pairs."""
    return electrodes(n, labels=DOUBLE_BANANA)


def microvolts(channel: Channel) -> npt.NDArray[np.float64]:
    """What the default header fields say a channel holds."""
    return channel.digital.astype(np.float64) * 0.1


def corpus_of_one(
    root: Path, data: bytes, *, rows: Sequence[str] = (), extension: str = ".edf", header: str = EVENT_COLUMNS
) -> RecordingFiles:
    """A corpus with one recording; `rows` are lines of its events table."""
    folder = root / "sub-01" / "eeg"
    folder.mkdir(parents=True, exist_ok=True)
    eeg, events = folder / f"sub-01_task-sz_eeg{extension}", folder / "sub-01_task-sz_events.tsv"
    eeg.write_bytes(data)
    events.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return RecordingFiles("sub-01", "sub-01_task-sz", "sub-01/eeg", eeg, events)


def read(path: Path, *channels: Channel, n_records: int = SECONDS, record_s: bytes = b"1") -> Recording:
    """The recording of an EDF file with these channels."""
    data = EdfFile(channels, n_records=n_records, record_s=record_s).encode()
    return read_recording(corpus_of_one(path, data))


def stack(channels: list[Channel]) -> npt.NDArray[np.float64]:
    """Channels of an EDF file as rows."""
    return np.array([microvolts(channel) for channel in channels])
