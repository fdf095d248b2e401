"""Which channels of a file are the electrodes, or the pairs, that a recording has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_robustseiz.labels import Site, is_difference, parse_label
from pytest_robustseiz.shifts import ELECTRODES

__all__ = ["DOUBLE_BANANA", "ELECTRODES", "Montage", "MontageError", "Selection", "select_channels"]

DOUBLE_BANANA: tuple[str, ...] = (
    "Fp1-F3", "F3-C3", "C3-P3", "P3-O1", "Fp1-F7", "F7-T3", "T3-T5", "T5-O1", "Fz-Cz", "Cz-Pz",
    "Fp2-F4", "F4-C4", "C4-P4", "P4-O2", "Fp2-F8", "F8-T4", "T4-T6", "T6-O2",
)  # fmt: skip

Montage = Literal["unipolar", "bipolar"]
MIN_ELECTRODES = 2  # the common average of a single electrode is the electrode itself


class MontageError(ValueError):
    """The labels of a file are those of no montage that can be read."""


@dataclass(frozen=True)
class Selection:
    """The channels of a file that make up a recording.

    Attributes
    ----------
    montage : {"unipolar", "bipolar"}
    channels : tuple of str
        The rows of the recording: 19 electrodes or 18 pairs.
    sources : Mapping of str to tuple of int
        For each row that the file has, the indices of the labels that name it best. More than one is only sound when
        their data agree.
    spares : Mapping of str to tuple of int
        For each row that is named with a prefix or suffix beside its bare name, the indices of those labels: they are
        to be read where the channels of `sources` carry no signal.
    reference : str
        What the labels say that the electrodes were recorded against, in capitals; "" where they do not say, or where
        they say different things.
    notes : tuple of str
        Choices that were made, a sentence each.
    """

    montage: Montage
    channels: tuple[str, ...]
    sources: Mapping[str, tuple[int, ...]]
    spares: Mapping[str, tuple[int, ...]]
    reference: str
    notes: tuple[str, ...]


def select_channels(labels: Sequence[str]) -> Selection:
    """Find the electrodes or the pairs of the double banana among channel labels.

    A bare name wins over one with prefix or suffix (Fp1 over EEG Fp1-REF). A file that has electrodes and pairs of the
    double banana is read as the montage of which it has all channels, or else more than half when the other has at most
    half. Beside other pairs, and electrodes against an unknown reference (C3-M2), electrodes are read where they are
    more than half of the 19 or at least as many as those; the others are left out with a note.

    Parameters
    ----------
    labels : sequence of str
        Labels of the usable channels, as the file has them.

    Raises
    ------
    MontageError
        When there are neither two electrodes nor more than half of the pairs, or both montages fit. A file of pairs is
        never read as electrodes. The message lists the labels.
    """
    sites = {i: site for i, label in enumerate(labels) if (site := parse_label(label))}
    differences = [i for i, label in enumerate(labels) if is_difference(label)]
    if any(_is_numbered(label, 3) for label in labels):  # a file that counts its electrodes: 01 is not O1
        sites = {i: site for i, site in sites.items() if not (_is_numbered(labels[i], 1) or _is_numbered(labels[i], 2))}
    electrodes = {i: site for i, site in sites.items() if not site.is_pair}
    pairs = {i: site for i, site in sites.items() if site.name in DOUBLE_BANANA}
    montage = _montage(electrodes, pairs, len(differences), labels)
    channels, named = (ELECTRODES, electrodes) if montage == "unipolar" else (DOUBLE_BANANA, pairs)
    sources, spares = _candidates(channels, named)
    notes = [f"the file has electrodes and pairs; it was read as {montage}"] if electrodes and pairs else []
    others = [i for i in differences if i not in pairs and montage == "unipolar"]
    if others:
        listed = ", ".join(repr(labels[i]) for i in others)
        notes.append(f"not read, since they are differences, or against an unknown reference: {listed}")
    notes += _left_out_notes([repr(labels[i]) for i in range(len(labels)) if i not in {*named, *others}], channels)
    references = sorted({named[i].reference for found in sources.values() for i in found})
    if len(references) > 1:
        notes.append(f"labels state different references ({', '.join(name or 'none' for name in references)})")
    reference = references[0] if len(references) == 1 else ""
    return Selection(montage, channels, sources, spares, reference, tuple(notes))


def _left_out_notes(labels: Sequence[str], channels: Sequence[str], *, most: int = 12) -> list[str]:
    if not labels:
        return []
    more = f" (and {len(labels) - most} more)" if len(labels) > most else ""
    what = "electrodes" if channels == ELECTRODES else "pairs"
    return [f"left out, since they are no {what} of the montage: {', '.join(labels[:most])}{more}"]


def _is_numbered(label: str, number: int) -> bool:
    return label.strip().upper().split("-")[0].strip() == f"EEG {number:02d}"


def _candidates(
    channels: Sequence[str], named: Mapping[int, Site]
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """Indices of the labels that name each channel best, bare names or else all, and those of the others."""
    sources: dict[str, tuple[int, ...]] = {}
    spares: dict[str, tuple[int, ...]] = {}
    for name in channels:
        found = [i for i, site in named.items() if site.name == name]
        exact = [i for i in found if named[i].exact]
        if found:
            sources[name] = tuple(exact or found)
        if exact and len(exact) < len(found):
            spares[name] = tuple(i for i in found if i not in exact)
    return sources, spares


def _montage(
    electrodes: Mapping[int, Site], pairs: Mapping[int, Site], n_differences: int, labels: Sequence[str]
) -> Montage:
    """Decide; `n_differences` counts the labels of all pairs, of the double banana or not."""
    n_electrodes, n_pairs = len({s.name for s in electrodes.values()}), len({s.name for s in pairs.values()})
    few_pairs = not n_pairs and n_differences <= n_electrodes
    unipolar = n_electrodes >= MIN_ELECTRODES and (few_pairs or 2 * n_electrodes > len(ELECTRODES))
    bipolar = 2 * n_pairs > len(DOUBLE_BANANA)
    if unipolar and bipolar and (n_electrodes == len(ELECTRODES)) != (n_pairs == len(DOUBLE_BANANA)):
        unipolar, bipolar = n_electrodes == len(ELECTRODES), n_pairs == len(DOUBLE_BANANA)
    if unipolar != bipolar:
        return "unipolar" if unipolar else "bipolar"
    found = f"found {n_electrodes} of 19 electrodes and {n_pairs} of 18 pairs of the double banana"
    found += f", {n_differences} differences in all," if n_differences else ""
    found += " in the labels "
    found += ", ".join(repr(label) for label in labels)
    if unipolar:
        raise MontageError(f"both montages fit, which is ambiguous: {found}; keep one of them in the file")
    raise MontageError(f"neither electrodes of the 10-20 system nor the double banana: {found}; rename the channels")
