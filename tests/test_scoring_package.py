"""The package of scores as a whole."""

import subprocess
import sys

import pytest_robustseiz.scoring


def test_importing_the_scores_is_cheap() -> None:
    program = (
        "import sys, pytest_robustseiz.scoring;"
        "print(sorted({'pandas', 'scipy', 'matplotlib', 'mne', 'torch', 'pytest'} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"


def test_public_names_exist() -> None:
    missing = [name for name in pytest_robustseiz.scoring.__all__ if not hasattr(pytest_robustseiz.scoring, name)]
    assert missing == []
