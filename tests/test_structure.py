"""The layout: what is installed where, who imports whom, how large things are."""

import ast
import importlib
import importlib.metadata
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT = {
    "shifts": {"numpy", "scipy", "array_api_compat"},
    "scoring": {"numpy", "pandas", "timescoring"},
    "adapters": {"numpy"},
}
TORCH_MODULES = (
    "batches", "dropout", "objective", "stochastic", "torch_adapter", "torch_attack", "torch_model", "torch_parts",
    "torch_predictor", "torch_steps",
)  # fmt: skip
# What single modules may import beside; the reader of events tables has only the standard library below it.
BESIDE: dict[str, set[str]] = {
    **{f"adapters/{name}.py": {"torch"} for name in TORCH_MODULES},
    "adapters/onnx_session.py": {"onnxruntime"},
    "adapters/command_edf.py": {"edfio"},
    "adapters/command_files.py": {"pytest_robustseiz.events"},
}
# Functions of over 50 lines and modules of over 300, each with a reason. These lists may only shrink.
LONG_FUNCTIONS: set[str] = set()
LONG_MODULES: set[str] = set()


def modules() -> list[Path]:
    folders = [ROOT / name for name in ("pytest_robustseiz", "shifts", "scoring", "adapters")]
    return [path for folder in folders for path in sorted(folder.glob("*.py"))]


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_parts_import_only_what_they_may(folder: str) -> None:
    for path in sorted((ROOT / folder).glob("*.py")):
        beside = BESIDE.get(f"{folder}/{path.name}", set())
        allowed = MAY_IMPORT[folder] | beside
        for name in imported(path) - beside:
            if name.startswith("pytest_robustseiz"):
                assert name.startswith(f"pytest_robustseiz.{folder}"), f"{path.name} imports {name}"
            else:
                top = name.partition(".")[0]
                assert top in allowed | sys.stdlib_module_names, f"{path.name} imports {name}"


def test_the_wheel_holds_the_tree_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = {f"pytest_robustseiz/{path.name}" for path in (ROOT / "pytest_robustseiz").glob("*.py")}
    for folder in MAY_IMPORT:
        expected |= {f"pytest_robustseiz/{folder}/{path.name}" for path in (ROOT / folder).glob("*.py")}
    assert names == expected | {
        f"pytest_robustseiz/{name}" for name in ("py.typed", "demo_weights.pt", "submission.schema.json")
    }


def test_no_top_level_module_is_ours_but_one() -> None:
    owners = importlib.metadata.packages_distributions()
    for name in MAY_IMPORT:
        assert "pytest-robustseiz" not in owners.get(name, [])


def test_folders_are_flat_and_listed_twice() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert set(tool["packages"]) == set(tool["package-dir"])
    for folder in ("pytest_robustseiz", *MAY_IMPORT):
        assert not [path for path in (ROOT / folder).glob("*/__init__.py") if not path.parent.is_symlink()]


@pytest.mark.parametrize("name", ["shifts", "scoring", "adapters"])
def test_public_names_exist_and_say_what_they_are(name: str) -> None:
    module = importlib.import_module(f"pytest_robustseiz.{name}")
    for public in module.__all__:
        value = getattr(module, public)
        if callable(value) and not hasattr(value, "__origin__"):
            assert value.__doc__, f"{public} has no docstring"


def test_modules_and_functions_stay_small() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        name = f"{path.parent.name}/{path.name}"
        assert len(text.splitlines()) <= 300 or name in LONG_MODULES, f"{name} has over 300 lines"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                doc = ast.get_docstring(node, clean=False) or ""
                lines = (node.end_lineno or 0) - node.lineno - len(doc.splitlines())
                assert lines <= 50 or f"{name}:{node.name}" in LONG_FUNCTIONS, f"{name}:{node.name} has {lines} lines"


def test_hooks_are_thin() -> None:
    tree = ast.parse((ROOT / "pytest_robustseiz" / "plugin.py").read_text(encoding="utf-8"))
    hooks = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert hooks
    for hook in hooks:
        assert hook.name.startswith("pytest_")
        assert len(hook.body) <= 4, hook.name


def test_every_raises_says_which_message() -> None:
    for path in sorted((ROOT / "tests").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.raises":
                assert any(keyword.arg == "match" for keyword in node.keywords), f"{path.name}:{node.lineno}"
