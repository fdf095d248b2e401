"""The command `robustseiz` and its subcommand `grid`."""

import csv
import importlib
import io
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pytest_robustseiz.cli import SUBCOMMANDS, main
from pytest_robustseiz.shifts import DropNamed, paper_grid, registered, smoke_grid
from pytest_robustseiz.shifttexts import definition, first_sentence, given_params, models, parameter_lines

ROOT = Path(__file__).resolve().parents[1]
NAMES = [module.__name__.rpartition("_")[2] for module in SUBCOMMANDS]


def test_the_entry_point_is_this_function() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, name = scripts["robustseiz"].partition(":")
    assert getattr(importlib.import_module(module), name) is main


def test_help_costs_no_heavy_import() -> None:
    code = (
        "import contextlib, sys; from pytest_robustseiz.cli import main\n"
        "with contextlib.suppress(SystemExit):\n    main(['--help'])\n"
        "sys.exit(str(sorted({'numpy', 'scipy', 'mne', 'pandas', 'torch', 'matplotlib'} & set(sys.modules))))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr.strip() == "[]"
    for name in NAMES:
        assert re.search(rf"^    {name}\s", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_subcommand_ends_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        main([name, "--help"])
    assert f"example:\n  robustseiz {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["grid", "--gird=paper"], ["grid", "--format=pdf"]])
def test_wrong_arguments_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        main(arguments)
    assert "usage: robustseiz" in capsys.readouterr().err


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["grid", *arguments]) == 0
    return capsys.readouterr().out


def test_csv_has_a_row_for_each_setting(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--format=csv"))))
    grid = paper_grid()
    assert [row["setting"] for row in rows] == [setting.label for setting in grid]
    assert [(row["shift"], row["family"]) for row in rows] == [(setting.name, setting.family) for setting in grid]
    [row] = [row for row in rows if row["setting"] == "mains-amplitude_ratio_0.1"]
    assert row["models"] == "Hum of the power line."
    assert row["parameters"] == "freq_hz=60, amplitude_ratio=0.1, harmonic_ratios=none"


def test_markdown_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--grid=smoke", "--format=markdown").splitlines()
    assert lines[0] == "| setting | shift | family | parameters | models |"
    assert len(lines) == len(smoke_grid()) + 2
    assert {line.count(" | ") for line in lines} == {4}


def test_text_groups_settings_by_shift(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text("awgn = [{ snr_db = 10 }, { snr_db = 0.5 }]\ncar = [{}]\n")
    assert printed(capsys, f"--grid={path}") == (
        "awgn (noise): Additive white Gaussian noise.\n"
        "  awgn-snr_db_10   snr_db=10\n"
        "  awgn-snr_db_0.5  snr_db=0.5\n"
        "\n"
        "car (environment): Common average reference.\n"
        "  car\n"
    )


def test_mistakes_are_one_line_and_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", "--grid=papre"]) == 2
    assert main(["grid", "--grid=gone.toml"]) == 2
    assert capsys.readouterr().err == (
        "robustseiz grid: error: --grid: unknown grid 'papre'; known are paper, smoke, or give a file *.toml\n"
        "robustseiz grid: error: --grid: gone.toml: No such file or directory\n"
    )


def test_a_reader_that_stops_early_gets_no_traceback() -> None:
    code = "import sys; from pytest_robustseiz.cli import main; sys.exit(main(['grid', '--format=csv']))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (1, b"")


def test_every_shift_says_what_it_models() -> None:
    for shift in registered().values():
        if shift.__module__.startswith("pytest_robustseiz."):
            assert models(shift).endswith("."), shift
            assert definition(shift), shift


def test_texts_come_from_the_docstrings() -> None:
    shift = registered()["awgn"]
    assert definition(shift)[0] == "White Gaussian noise of power P / 10^(SNR/10), P being the power of each channel."
    assert parameter_lines(shift) == ["snr_db : float", "    Signal-to-noise ratio in dB, -200 to 200."]
    assert parameter_lines(registered()["car"]) == []
    assert first_sentence("One of\ntwo. And more.\n\nNever.") == "One of two."
    assert given_params(DropNamed(electrodes=("O1", "O2"))) == "electrodes=O1+O2"


def test_an_authors_own_shift_is_described_by_its_class() -> None:
    class Own(registered()["car"]):  # type: ignore[misc] # a class of this moment
        """Swaps two wires. Nothing else."""

    assert models(Own) == "Swaps two wires."
