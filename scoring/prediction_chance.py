"""What a predictor that knows nothing of seizures would reach at the same rate of alarms.

The null hypothesis is that warnings come independently of the seizures, and that from one window to the next they start
with the same small probability as outside of seizures: a Poisson process in windows. The classical test [1]_ [2]_ takes
warnings as points, so that a seizure is warned of by chance with probability 1 - exp(-rate x horizon), and asks how
likely it is that chance warns of as many of the seizures as the predictor did (a binomial). Taken as points, a
predictor that warns all day raises one alarm a day and seems to know everything; so the share of time in warning
enters too, as in [3]_.

References
----------
.. [1] M. Winterhalder, T. Maiwald, H. U. Voss, R. Aschenbrenner-Scheibe, J. Timmer and A. Schulze-Bonhage, The seizure
   prediction characteristic: a general framework to assess and compare seizure prediction methods, Epilepsy Behav. 4,
   318-325, 2003.
.. [2] B. Schelter, M. Winterhalder, T. Maiwald, A. Brandt, A. Schad, A. Schulze-Bonhage and J. Timmer, Testing
   statistical significance of multivariate time series analysis techniques for epileptic seizure prediction, Chaos 16,
   013108, 2006.
.. [3] D. E. Snyder, J. Echauz, D. B. Grimes and B. Litt, The statistics of a practical seizure warning system,
   J. Neural Eng. 5, 392-401, 2008.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_robustseiz.scoring.accuracy import ratio
from pytest_robustseiz.scoring.prediction import PredictionCounts
from pytest_robustseiz.scoring.prediction_labels import INTERICTAL


@dataclass(frozen=True, kw_only=True)
class ChanceLevel:
    """How the seizures that were warned of compare with chance.

    Parameters
    ----------
    seizures : int
        Seizures of which a warning was possible.
    warned : int
        Those of which there was one.
    expected : float
        How many chance would warn of, on average; NaN where the rate of alarms is not known.
    p_value : float
        Probability that chance warns of as many or more; NaN without seizures, or where the rate is not known.
    """

    seizures: int
    warned: int
    expected: float
    p_value: float

    @property
    def expected_share(self) -> float:
        """The transition detection rate of chance, over these seizures."""
        return ratio(self.expected, self.seizures)


def chance_level(subjects: Iterable[PredictionCounts]) -> ChanceLevel:
    """Compare the seizures warned of before their onset with a random predictor of the same alarms.

    Parameters
    ----------
    subjects : iterable of PredictionCounts
        One for each subject, not their sum: each has its own rate of alarms. With one rate for all, a predictor that
        raises its alarms in the subject who has the seizures would seem to know when they come.

    Returns
    -------
    ChanceLevel
        Over the seizures with a preictal window. One is warned of when any of its preictal windows has a warning.

    Notes
    -----
    Of a subject's N interictal windows F have a warning, in R runs. Chance is in warning in a share w of the time and
    starts one in a window after a window without with probability q, so a seizure with n preictal windows is warned of
    with probability 1 - (1 - w)(1 - q)^(n - 1); for short warnings this is 1 - exp(-rate n), the classical form. The
    number of seizures warned of is a sum of such trials, which is binomial where all are alike.

    w and q are (F + 1) / (N + 1) and (R + 1) / (N - F + 1): one alarm more than was seen, so that a predictor without a
    false alarm in a short record is not beyond any doubt, and no p-value is 0. Over many hours it makes no difference.

    A small p-value says that warnings are more common before seizures than elsewhere. It does not say that they are
    useful; nor that they come from the EEG rather than from the hour, or from a rate that changes over time while
    seizures cluster; nor that a model chosen as the best of many tried is better than chance. A large one with few
    seizures says nothing.
    """
    chances: list[float] = []
    warned = 0
    for counts in subjects:
        chances += _chances(counts)
        warned += counts.warned
    return compare_with_chance(chances, warned)


def compare_with_chance(chances: Sequence[float], warned: int) -> ChanceLevel:
    """Compare a number of successes with independent trials.

    Parameters
    ----------
    chances : sequence of float
        Probability of success of each trial; NaN where it is not known.
    warned : int
        Successes that were seen.

    Returns
    -------
    ChanceLevel
    """
    expected = math.fsum(chances)
    if not chances or math.isnan(expected):
        return ChanceLevel(seizures=len(chances), warned=warned, expected=expected, p_value=math.nan)
    # exactly[k] is the probability of k successes in the trials so far (a Poisson binomial distribution).
    exactly = np.zeros(len(chances) + 1)
    exactly[0] = 1.0
    for chance in chances:
        exactly[1:] = chance * exactly[:-1] + (1 - chance) * exactly[1:]
        exactly[0] *= 1 - chance
    p_value = min(math.fsum(exactly[warned:]), 1.0)
    return ChanceLevel(seizures=len(chances), warned=warned, expected=expected, p_value=p_value)


def _chances(counts: PredictionCounts) -> list[float]:
    n_windows = sum(counts.confusion[INTERICTAL])
    if not n_windows:
        return [math.nan] * counts.with_preictal
    quiet = counts.confusion[INTERICTAL][INTERICTAL]
    in_warning = (n_windows - quiet + 1) / (n_windows + 1)
    # Never above 1, though alarms at the start of recordings follow no quiet window.
    starts = min((counts.alarms + 1) / (quiet + 1), 1.0)
    return [1 - (1 - in_warning) * (1 - starts) ** (n - 1) for n in counts.preictal_windows]
