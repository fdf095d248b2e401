"""What a channel label of an EEG file names: an electrode, a pair of electrodes, or neither."""

import re
from dataclasses import dataclass

from pytest_robustseiz.shifts import ELECTRODES, SYNONYMS

_NAMES = {name.upper(): name for name in ELECTRODES} | {new.upper(): old for new, old in SYNONYMS.items()}
_DIGIT_ZERO = {"01": "O1", "02": "O2"}  # typed with the digit; common in exports of older EEG systems
_PREFIX = re.compile(r"^EEG[ _:]*", re.IGNORECASE)
# References that recorders write behind an electrode; CS2 is the cervical reference of some CHB-MIT files
_SUFFIX = re.compile(r"[ ]*-[ ]*(REF|LE|AVG|AV|AR|CAR|CS2)$", re.IGNORECASE)
_SCALP = re.compile(r"(FP|AF|F|FT|FC|T|TP|C|CP|P|PO|O)(Z|\d{1,2})", re.IGNORECASE)  # sites of the 10-10 system
_BETWEEN = re.compile(r"[-/:]")  # what stands between two electrodes


@dataclass(frozen=True)
class Site:
    """What a label names.

    Attributes
    ----------
    name : str
        An electrode such as "Fp1", or two joined by a hyphen, in the names of the 10-20 system.
    exact : bool
        Whether the label is the bare name, with neither prefix nor suffix.
    reference : str
        The reference that the label states, in capitals, or "".
    """

    name: str
    exact: bool
    reference: str = ""

    @property
    def is_pair(self) -> bool:
        """Whether the label names two electrodes."""
        return "-" in self.name


def parse_label(label: str) -> Site | None:
    """Recognise the electrodes in a channel label.

    Case does not matter; `EEG` in front, a reference behind (`-REF`, `-LE`, `-Avg`, ...) and dots at the end are
    dropped; T7, T8, P7 and P8 are T3, T4, T5 and T6; `EEG 01` is O1.

    Returns
    -------
    Site or None
        None when the label names something else, such as PO3, ECG or Fp1-A2.
    """
    text = label.strip()
    if text.upper() in _NAMES:
        return Site(_NAMES[text.upper()], exact=True)
    bare = _PREFIX.sub("", text)
    prefixed = bare != text
    bare = bare.rstrip(". ")
    suffix = _SUFFIX.search(bare)
    bare = _SUFFIX.sub("", bare)
    parts = [_electrode(part, digits=prefixed or "-" in bare) for part in bare.split("-")]
    if len(parts) > 2 or None in parts:
        return None
    name = "-".join(part for part in parts if part)
    return Site(name, exact=text.upper() == bare.upper(), reference=suffix[1].upper() if suffix else "")


def is_difference(label: str) -> bool:
    """Whether a label names a scalp electrode against another one, or against a reference that is not known.

    Examples are Fp1-F3, FT9-FT10 and C3/M2. Fp1-REF is none, nor are differences without a scalp electrode (E1-M2).
    """
    bare = _SUFFIX.sub("", _PREFIX.sub("", label.strip()).rstrip(". "))
    parts = [part.strip() for part in _BETWEEN.split(bare)]
    return len(parts) > 1 and any(_SCALP.fullmatch(part) or _electrode(part, digits=True) for part in parts)


def _electrode(text: str, *, digits: bool) -> str | None:
    upper = text.strip().upper()
    return _NAMES.get(upper) or (_DIGIT_ZERO.get(upper) if digits else None)
