"""The example of CONTRIBUTING.md works as it is written."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(python|diff)\n# (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CONTRACT = ("shift_table.py", "test_shifts_contract.py")


def example() -> list[tuple[str, str, str]]:
    """Kind, file and content of each block of the section on shifts."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Adding a shift\n")[2]
    return [(kind, file, body) for kind, file, body in BLOCK.findall(section.partition("\n## ")[0])]


def apply_diff(path: Path, diff: str) -> None:
    """Put each run of + lines below the line of context above it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    place = -1
    for line in diff.splitlines():
        if line.startswith("+"):
            place += 1
            lines.insert(place, line[1:])
        else:
            assert lines.count(line[1:]) == 1, f"{path.name} has {lines.count(line[1:])} lines {line[1:]!r}"
            place = lines.index(line[1:])
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the package and of the contract's tests."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "pytest_robustseiz", tmp_path / "pytest_robustseiz", ignore=ignored)
    (tmp_path / "tests").mkdir()
    for name in CONTRACT:
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    return tmp_path


def run_contract(tree: Path, names: str) -> "subprocess.CompletedProcess[str]":
    code = (
        "import sys, pytest\n"
        f"sys.path[:0] = [{str(tree)!r}]\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '-k', {names!r}, 'tests']))"
    )
    return subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=False)


def in_package(file: str) -> str:
    return f"pytest_robustseiz/{file}" if file.startswith("shifts/") else file


def test_the_example_touches_three_files() -> None:
    assert [(kind, file) for kind, file, _ in example()] == [
        ("python", "shifts/gain.py"),
        ("diff", "shifts/__init__.py"),
        ("diff", "tests/shift_table.py"),
    ]


def test_the_example_passes_the_contract(tree: Path) -> None:
    for kind, file, body in example():
        path = tree / in_package(file)
        if kind == "python":
            path.write_text(body, encoding="utf-8")
        else:
            apply_diff(path, body)
    result = run_contract(tree, "gain or every_registered or unique or units_are")
    assert result.returncode == 0, result.stdout + result.stderr
    passed = re.search(r"(\d+) passed", result.stdout)
    assert passed is not None
    assert int(passed[1]) > 50  # three settings in each test of the contract


def test_a_shift_without_a_row_in_the_table_fails(tree: Path) -> None:
    (_, file, body), (_, init, diff), _ = example()
    (tree / in_package(file)).write_text(body, encoding="utf-8")
    apply_diff(tree / in_package(init), diff)
    result = run_contract(tree, "every_registered")
    assert result.returncode == 1
    assert "1 failed" in result.stdout
