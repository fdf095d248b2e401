"""Electrode names of the 10-20 system, as the shifts see them."""

from collections.abc import Sequence

# The order that epilepsy2bids writes; every unipolar recording has it.
ELECTRODES: tuple[str, ...] = (
    "Fp1", "F3", "C3", "P3", "O1", "F7", "T3", "T5", "Fz", "Cz",
    "Pz", "Fp2", "F4", "C4", "P4", "O2", "F8", "T4", "T6",
)  # fmt: skip

# Newer names of the 10-10 system for the same scalp sites.
SYNONYMS: dict[str, str] = {"T7": "T3", "T8": "T4", "P7": "T5", "P8": "T6"}


def canonical_electrode(name: str) -> str:
    """Return the 10-20 name of an electrode, so that T7 finds T3."""
    return SYNONYMS.get(name, name)


def is_bipolar(channels: Sequence[str]) -> bool:
    """Whether any channel is a pair of electrodes, such as "Fp1-F3"; "Fp1-Avg" names a reference."""
    known = {*ELECTRODES, *SYNONYMS}
    return any("-" in channel and known.issuperset(channel.split("-")) for channel in channels)


def require_electrodes(electrodes: Sequence[str]) -> None:
    """Raise ValueError unless these are different electrode names; T7 and T3 are one electrode."""
    sites = [canonical_electrode(name) for name in electrodes]
    plain = all(name.isascii() and name.isalnum() for name in electrodes)
    if not plain or len(set(sites)) != len(sites):
        raise ValueError(f"electrodes: expected different electrode names such as 'T7' or 'O1', got {electrodes!r}")


def channels_using(electrodes: Sequence[str], channels: Sequence[str]) -> list[int]:
    """Indices of the channels that depend on any of the electrodes.

    Parameters
    ----------
    electrodes : sequence of str
        Electrode names; T7, T8, P7 and P8 are understood as T3, T4, T5 and T6.
    channels : sequence of str
        Channel names: electrodes (unipolar) or pairs such as "Fp1-F3" (bipolar).

    Raises
    ------
    ValueError
        When no channel uses one of the electrodes.
    """
    sites = [{canonical_electrode(part) for part in channel.split("-")} for channel in channels]
    found: set[int] = set()
    for electrode in electrodes:
        using = {i for i, site in enumerate(sites) if canonical_electrode(electrode) in site}
        if not using:
            raise ValueError(f"electrodes: no channel uses {electrode!r}; the recording has {', '.join(channels)}")
        found |= using
    return sorted(found)
