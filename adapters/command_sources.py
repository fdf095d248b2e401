"""What a command runs, as far as its words show it: files that they name, and modules beside scripts."""

import ast
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

_SCRIPTS = (".py", ".sh", ".r", ".jl", ".js", ".pl", ".rb", ".jar")


def default_name(words: Sequence[str]) -> str:
    """Name for the detector that a command runs: the module behind -m, the script, or the program."""
    if "-m" in words[1:-1]:
        return words[words.index("-m") + 1]
    scripts = [Path(word).stem for word in words if Path(word).suffix.lower() in _SCRIPTS]
    return scripts[0] if scripts else Path(words[0]).stem


def code_is_named(words: Sequence[str]) -> bool:
    """Whether the code that runs is in files that a command names, as far as can be told.

    It is not where an interpreter is told a module (-m) or code (-c), where a folder is named, and where a program is
    found by its name only or is a script without an ending: such a script is often a stub that an installer made for a
    package.
    """
    if {"-m", "-c"} & set(words) or any(Path(word).is_dir() for word in words):
        return False
    program = _named_file(words[0])
    compiled = program is not None and not _begins_with_interpreter(program)
    return compiled or any(path.suffix.lower() in _SCRIPTS for path in named_files(words))


def named_files(words: Sequence[str]) -> list[Path]:
    """Files that words name, and the modules that Python scripts among them import from their own folder."""
    named = [path for word in words if (path := _named_file(word))]
    beside = [module for path in named if path.suffix == ".py" for module in _modules_beside(path)]
    return list(dict.fromkeys([*named, *beside]))


def content_hashes(files: Sequence[Path]) -> dict[str, str]:
    """SHA-256 of the content of each file."""
    hashes = {}
    for path in files:
        with path.open("rb") as file:
            hashes[str(path)] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes


def _named_file(word: str) -> Path | None:
    """The file that a word names, also as `--weights=FILE`."""
    for text in (word, word.partition("=")[2]):
        if text and Path(text).is_file():
            return Path(text)
    return None


def _begins_with_interpreter(program: Path) -> bool:
    with program.open("rb") as file:
        return file.read(2) == b"#!"


def _modules_beside(script: Path) -> list[Path]:
    """Modules in a script's folder that it imports, directly or not. Code is read, not run."""
    waiting, found = [script], list[Path]()
    while waiting:
        path = waiting.pop()
        for name in _imported(path, script.parent):
            new = [file for file in _files_of(name, script.parent) if file not in found]
            found += new
            waiting += new
    return found


def _imported(path: Path, root: Path) -> Iterator[str]:
    """Full names of what a module imports; of `from a import b` both a and a.b, which may be a module."""
    try:
        tree = ast.parse(path.read_bytes())
    except SyntaxError:  # written for another Python: its content counts, what it imports is not known
        return
    package = path.parent.relative_to(root).parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (name for alias in node.names for name in (base, f"{base}.{alias.name}"))


def _files_of(name: str, root: Path) -> Iterator[Path]:
    """Files below a folder that are run by importing a name: the module, and the packages around it."""
    parts = name.split(".")
    if not all(parts):  # a relative import that leads out of the folder
        return
    for depth in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:depth])
        yield from (file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file())
