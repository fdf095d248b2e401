"""The corpora that can be converted, by the name that the command has for them."""

from pytest_robustseiz.convert_chbmit import ChbMit
from pytest_robustseiz.convert_plan import Corpus
from pytest_robustseiz.convert_seizeit1 import SeizeIT1
from pytest_robustseiz.convert_siena import Siena
from pytest_robustseiz.convert_tusz import Tusz

CORPORA: dict[str, Corpus] = {"chbmit": ChbMit(), "tusz": Tusz(), "siena": Siena(), "seizeit1": SeizeIT1()}
