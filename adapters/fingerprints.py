"""What decides a detector's answers, as one hash."""

import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np


class NotFingerprintable(TypeError):
    """A value whose content cannot be hashed in a way that means the same in the next process."""


def fingerprint(*parts: object) -> str:
    """Hash plain values, arrays and containers of them.

    Parameters
    ----------
    *parts
        None, bool, int, float, str, bytes, Path, dtype, numpy arrays, dataclass-like tuples, and lists, tuples, sets
        and mappings of them.

    Returns
    -------
    str
        64 hexadecimal digits, the same in every process.

    Raises
    ------
    NotFingerprintable
        For any other value, naming its type.
    """
    digest = hashlib.sha256()
    for part in parts:
        _update(digest, part)
    return digest.hexdigest()


def source_of(*classes: type) -> dict[str, str]:
    """Hashes of the source files that a class's behaviour comes from.

    Starts at the files of the classes and their bases and follows what those modules hold, as far as it is the
    author's own code: files of the standard library and of installed packages are left out.

    Parameters
    ----------
    *classes : type
        The adapter's class, and those of the parts it is made of.

    Returns
    -------
    dict of str to str
        Module name to SHA-256 of its file.

    Raises
    ------
    NotFingerprintable
        When the code of a class is in no file, as in an interactive session.
    """
    waiting = [base.__module__ for cls in classes for base in inspect.getmro(cls)]
    hashes: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if module is None or name in hashes or _is_installed(module):
            continue
        path = getattr(module, "__file__", None)
        if path is None or not Path(path).is_file():
            raise NotFingerprintable(f"the code of module {name!r} is in no file")
        hashes[name] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        waiting.extend(_modules_named_in(module))
    return hashes


def _modules_named_in(module: ModuleType) -> Iterable[str]:
    for value in list(vars(module).values()):
        if isinstance(value, ModuleType):
            yield value.__name__
        elif isinstance(value, type) or callable(value):
            origin = getattr(value, "__module__", None)
            if isinstance(origin, str):
                yield origin


_INSTALLED = tuple(
    {str(Path(sysconfig.get_path(key)).resolve()) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
)

_PACKAGES = {"site-packages", "dist-packages"}


def _is_installed(module: ModuleType) -> bool:
    path = getattr(module, "__file__", None)
    if path is None:
        return module.__name__ in sys.builtin_module_names or module.__spec__ is not None
    found = Path(path).resolve()
    # Also where pip was told another place, such as the user's own folder.
    return str(found).startswith(_INSTALLED) or not _PACKAGES.isdisjoint(found.parts)


def _update(digest: Any, value: object) -> None:
    digest.update(type(value).__qualname__.encode() + b"\0")
    if value is None or isinstance(value, bool | int | float | str | Path | np.dtype | np.generic):
        digest.update(repr(value).encode() + b"\0")
    elif isinstance(value, bytes):
        digest.update(len(value).to_bytes(8, "little") + value)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        _update(digest, sorted(value.items(), key=repr))
    elif isinstance(value, set | frozenset):
        _update(digest, sorted(value, key=repr))
    elif isinstance(value, list | tuple):
        digest.update(len(value).to_bytes(8, "little"))  # so that [[1], 2] is not [[1, 2]]
        for item in value:
            _update(digest, item)
    else:
        raise NotFingerprintable(f"a value of type {type(value).__module__}.{type(value).__qualname__} has no hash")
