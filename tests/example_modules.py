"""The modules of an example, which no installed package holds."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def load_example(folder: str, name: str) -> Any:
    """Import examples/FOLDER/NAME.py under its own name, once; what it imports from its folder comes first.

    Parameters
    ----------
    folder, name : str
    """
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # fingerprints and imports find the code by this name
        spec.loader.exec_module(module)
    return sys.modules[name]
