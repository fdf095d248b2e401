"""Gate merges of an EEG seizure detector on its robustness to shifts.

The parts that work without pytest are `pytest_robustseiz.shifts`, `pytest_robustseiz.scoring` and
`pytest_robustseiz.adapters`. Importing this package loads none of them.
"""

__version__ = "0.1.0"
