"""Grids: from TOML files, by name, from the fixture and the option, and which of them a test gets."""

import json
from pathlib import Path

import pytest
from tiny import CONFTEST

from pytest_robustseiz.gridfiles import GridError, as_grid, read_grid
from pytest_robustseiz.shifts import AWGN, CAR, Drift, DropNamed, paper_grid, smoke_grid

GRID = """
awgn = [{ snr_db = 10 }, { snr_db = 0.5 }]
car = [{}]
drop_named = [{ electrodes = ["T7", "T8"] }]

[[drift]]
mode = "sin"
freq_hz = 0.2
amplitude_uv = 50
"""
SETTINGS = (
    AWGN(snr_db=10.0),
    AWGN(snr_db=0.5),
    CAR(),
    DropNamed(electrodes=("T7", "T8")),
    Drift(mode="sin", freq_hz=0.2, amplitude_uv=50.0),
)
UNMARKED = """
def test_any(robustseiz_experiment):
    pass
"""
MARKED = """
import pytest

@pytest.mark.robustseiz(grid={grid})
def test_marked(robustseiz_experiment):
    pass
"""
FIXTURE = """
import pytest
from pytest_robustseiz.shifts import AWGN, CAR

@pytest.fixture
def robustseiz_grid():
    with open("calls.txt", "a") as log:
        log.write("called\\n")
    return {value}
"""


def write(folder: Path, text: str, name: str = "grid.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def settings_of(pytester: pytest.Pytester, corpus: Path, *arguments: str) -> list[str]:
    """Labels of the settings that were collected, in order, without the baseline's."""
    more = ["--robustseiz-mode=full", f"--robustseiz-data={corpus}"]
    result = pytester.runpytest("--collect-only", "-q", *more, *arguments)
    assert result.ret == pytest.ExitCode.OK
    labels = [line.partition("[")[2].rstrip("]") for line in result.outlines if "::" in line]
    assert labels[0] == "baseline"
    return labels[1:]


def test_both_writings_of_tables_keep_their_order(tmp_path: Path) -> None:
    assert read_grid(write(tmp_path, GRID)) == SETTINGS
    assert as_grid("grid.toml", tmp_path) == as_grid(Path("grid.toml"), tmp_path) == SETTINGS
    assert as_grid(list(SETTINGS), tmp_path) == SETTINGS


def test_the_default_grid_can_be_written_as_a_file(tmp_path: Path) -> None:
    lines = []
    for setting in paper_grid():
        fields = {name: value for name, value in setting.params().items() if value is not None}
        pairs = (f"{name} = {json.dumps(value)}" for name, value in fields.items())
        lines.append(f"[[{setting.name}]]\n" + "\n".join(pairs))
    assert read_grid(write(tmp_path, "\n\n".join(lines))) == paper_grid()


def test_names(tmp_path: Path) -> None:
    assert as_grid("paper", tmp_path) == paper_grid()
    assert as_grid("smoke", tmp_path) == smoke_grid()


@pytest.mark.parametrize(
    "text, message",
    [
        ("awng = [{ snr_db = 1 }]", r"grid\.toml: unknown shift 'awng'; known are adc, awgn, "),
        ("awgn = 10", r"grid\.toml: awgn: expected an array of tables such as \[\{ snr_db = \.\.\. \}\], got 10$"),
        ("car = true", r"grid\.toml: car: expected an array of tables such as \[\{\}\], got True$"),
        ("awgn = [10]", r"grid\.toml: awgn: expected an array of tables such as .*, got \[10\]$"),
        (
            "awgn = [{ snr_db = 1 }, { snr = 10 }]",
            r"grid\.toml: awgn, entry 2: unknown field 'snr'; fields of awgn are snr_db$",
        ),
        ("car = [{ snr_db = 1 }]", r"car, entry 1: unknown field 'snr_db'; fields of car are none$"),
        (
            "impulse = [{ share = 0.01 }]",
            r"impulse, entry 1: missing height_ratio; fields of impulse are share, height_ratio$",
        ),
        ("awgn = [{ snr_db = 300 }]", r"awgn, entry 1: snr_db: expected -200 to 200 dB, got 300\.0$"),
        ("awgn = [{ snr_db = '10' }]", r"awgn, entry 1: snr_db: expected a finite number, got '10'$"),
        ("drop_named = [{ electrodes = 'O1' }]", r"drop_named, entry 1: electrodes: expected a tuple, got 'O1'$"),
        ("awgn = [{ snr_db = 1 }, { snr_db = 1.0 }]", r"grid\.toml: the grid holds awgn-snr_db_1 twice$"),
        ("", r"grid\.toml: the grid is empty"),
        ("awgn = [", r"grid\.toml: not a TOML file: "),
    ],
)
def test_mistakes_in_a_file_name_file_shift_entry_and_field(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(GridError, match=message):
        read_grid(write(tmp_path, text))


def test_all_mistakes_are_listed_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, "awng = [{}]\nawgn = [{ snr_db = 1 }, { snr_db = 300 }, {}]\ncar = 1\n")
    with pytest.raises(GridError, match="unknown shift 'awng'") as caught:
        read_grid(path)
    places = [line.removeprefix(f"{path}: ")[:14] for line in str(caught.value).splitlines()]
    assert places == ["unknown shift ", "awgn, entry 2:", "awgn, entry 3:", "car: expected "]


@pytest.mark.parametrize(
    "given, message",
    [
        ("papre", r"^unknown grid 'papre'; known are paper, smoke, or give a file \*\.toml$"),
        ("gone.toml", r"gone\.toml: No such file or directory$"),
        ([3], r"^a grid is a list of settings such as AWGN\(snr_db=10\), got 3$"),
        (3, r"^a grid is a name, a file \*\.toml or a list of settings, got 3$"),
        ([], r"^the grid is empty"),
    ],
)
def test_mistakes_in_other_grids(tmp_path: Path, given: object, message: str) -> None:
    with pytest.raises(GridError, match=message):
        as_grid(given, tmp_path)


def test_a_file_in_another_encoding_is_refused_and_a_byte_order_mark_is_not(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_bytes(b"\xef\xbb\xbfcar = [{}]\r\n")
    assert read_grid(path) == (CAR(),)
    path.write_bytes("# µV\ncar = [{}]".encode("latin-1"))
    with pytest.raises(GridError, match="not a TOML file"):
        read_grid(path)


def test_marker_stands_over_fixture_over_option_over_paper(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    write(pytester.path, "awgn = [{ snr_db = 3 }]")
    option = "--robustseiz-grid=grid.toml"
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=UNMARKED)
    assert settings_of(pytester, tiny_corpus) == [setting.label for setting in paper_grid()[1:]]
    assert settings_of(pytester, tiny_corpus, option) == ["awgn-snr_db_3"]
    pytester.makeconftest(CONFTEST + FIXTURE.format(value="[AWGN(snr_db=2)]"))
    assert settings_of(pytester, tiny_corpus, option) == ["awgn-snr_db_2"]
    pytester.makepyfile(test_a=MARKED.format(grid="'smoke'"))
    assert settings_of(pytester, tiny_corpus, option) == [setting.label for setting in smoke_grid()[1:]]


def test_a_file_in_marker_ini_key_and_environment(
    pytester: pytest.Pytester, tiny_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = pytester.mkdir("grids")
    for snr in (1, 2, 3):
        write(folder, f"awgn = [{{ snr_db = {snr} }}]", f"{snr}.toml")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=MARKED.format(grid="'grids/1.toml'"))
    assert settings_of(pytester, tiny_corpus) == ["awgn-snr_db_1"]
    pytester.makepyfile(test_a=UNMARKED)
    pytester.makeini("[pytest]\nrobustseiz_grid = grids/2.toml\n")
    assert settings_of(pytester, tiny_corpus) == ["awgn-snr_db_2"]
    monkeypatch.setenv("ROBUSTSEIZ_GRID", "grids/3.toml")
    assert settings_of(pytester, tiny_corpus) == ["awgn-snr_db_3"]


def test_a_path_on_the_command_line_is_relative_to_where_pytest_was_started(
    pytester: pytest.Pytester, tiny_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=UNMARKED)
    pytester.makeini("[pytest]\n")
    folder = pytester.mkdir("grids")
    write(folder, "awgn = [{ snr_db = 1 }]")
    monkeypatch.chdir(folder)
    assert settings_of(pytester, tiny_corpus, "..", "--robustseiz-grid=grid.toml") == ["awgn-snr_db_1"]


def test_a_fixture_is_called_once_and_overridden_as_any_other(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST + FIXTURE.format(value="[CAR()]"))
    pytester.makepyfile(test_a=UNMARKED + UNMARKED.replace("test_any", "test_other"))
    assert settings_of(pytester, tiny_corpus) == ["car", "baseline", "car"]
    assert (pytester.path / "calls.txt").read_text() == "called\n"
    pytester.makepyfile(test_a=FIXTURE.format(value="'smoke'") + UNMARKED)
    assert settings_of(pytester, tiny_corpus, "--robustseiz-shifts=noise")[0] == "awgn-snr_db_5"
    inside = UNMARKED.replace("(robust", "(self, robust").replace("\n", "\n    ")
    own = "    @pytest.fixture\n    def robustseiz_grid(self):\n        return [AWGN(snr_db=1)]\n"
    pytester.makepyfile(test_a=f"{FIXTURE.format(value='[CAR()]')}\nclass TestIn:\n{own}{inside}\n{UNMARKED}")
    assert settings_of(pytester, tiny_corpus) == ["awgn-snr_db_1", "baseline", "car"]


def test_a_folders_conftest_overrides_the_roots(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST + FIXTURE.format(value="[CAR()]"))
    folder = pytester.mkdir("inner")
    (folder / "conftest.py").write_text(FIXTURE.format(value="[AWGN(snr_db=1)]"))
    (folder / "test_inner.py").write_text(UNMARKED)
    pytester.makepyfile(test_outer=UNMARKED)
    assert settings_of(pytester, tiny_corpus, "inner") == ["awgn-snr_db_1"]
    assert settings_of(pytester, tiny_corpus, "test_outer.py") == ["car"]


def test_a_grid_of_the_fixture_runs(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST + FIXTURE.format(value="[AWGN(snr_db=1), AWGN(snr_db=-1.5)]"))
    pytester.makepyprojecttoml('[tool.robustseiz.thresholds]\n"awgn[snr_db=-1.5]" = { min_f1 = 0.5 }\n')
    pytester.makepyfile(
        """
        def test_limits(robustseiz_case, robustseiz_experiment):
            pass

        def test_threshold(robustseiz_experiment):
            own = {"min_f1": 0.5} if robustseiz_experiment.setting.label == "awgn-snr_db_-1.5" else {}
            assert robustseiz_experiment.limits == own
        """
    )
    arguments = ["--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}", "-k", "test_threshold"]
    pytester.runpytest(*arguments).assert_outcomes(passed=3, deselected=27)


@pytest.mark.parametrize(
    "fixture, message",
    [
        (
            "def robustseiz_grid(tmp_path):\n    return 'smoke'",
            "*conftest.py is called * can take no arguments, got tmp*",
        ),
        ("def robustseiz_grid():\n    yield 'smoke'", "*must return the grid, not yield or await it*"),
        ("def robustseiz_grid():\n    return 3", "*fixture robustseiz_grid of *conftest.py: a grid is a name, *got 3*"),
        ("def robustseiz_grid():\n    return 'gone.toml'", "*conftest.py: *gone.toml: No such file or directory*"),
    ],
)
def test_mistakes_in_the_fixture(pytester: pytest.Pytester, tiny_corpus: Path, fixture: str, message: str) -> None:
    pytester.makeconftest(f"{CONFTEST}\n@pytest.fixture\n{fixture}\n")
    pytester.makepyfile(test_a=UNMARKED)
    result = pytester.runpytest("--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_fixture_with_params_is_refused(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(f"{CONFTEST}\n@pytest.fixture(params=[1, 2])\ndef robustseiz_grid():\n    return 'smoke'\n")
    pytester.makepyfile(test_a=UNMARKED)
    result = pytester.runpytest("--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}")
    result.stdout.fnmatch_lines(["*can have no params; return one list with all settings*"])


@pytest.mark.parametrize(
    "value, message",
    [
        ("papre", "*--robustseiz-grid: unknown grid 'papre'; known are paper, smoke, or give a file ?.toml*"),
        ("grid.toml", "*--robustseiz-grid: *grid.toml: awgn, entry 1: snr_db: expected -200 to 200 dB, got 300.0*"),
    ],
)
def test_mistakes_in_the_option_are_usage_errors(
    pytester: pytest.Pytester, tiny_corpus: Path, value: str, message: str
) -> None:
    write(pytester.path, "awgn = [{ snr_db = 300 }]")
    pytester.makepyfile(test_a=UNMARKED)
    more = ["--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}", f"--robustseiz-grid={value}"]
    result = pytester.runpytest(*more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_a_wrong_file_in_the_marker_is_an_error_of_that_test(pytester: pytest.Pytester, tiny_corpus: Path) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_a=MARKED.format(grid="'gone.toml'"), test_b=MARKED.format(grid="3"))
    result = pytester.runpytest("--robustseiz-mode=full", f"--robustseiz-data={tiny_corpus}")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*test_a.py::test_marked: *gone.toml: No such file or directory*"])
    result.stdout.fnmatch_lines(["*test_b.py::test_marked: grid must be a name, a TOML file or a list of settings*"])
