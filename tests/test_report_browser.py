"""The report page in a real browser: no errors, sorting, links, a narrow screen and no script."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import predictions
import pytest
from reporting import scored

from pytest_robustseiz.report import run_report
from pytest_robustseiz.reportdata import Failure, Verdict
from pytest_robustseiz.reportpage import render

selenium = pytest.importorskip("selenium", reason="selenium is not installed")
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

PROGRAMS = [("chromium", "chromedriver"), ("google-chrome", "chromedriver")]


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    found = [(shutil.which(one), shutil.which(other)) for one, other in PROGRAMS]
    program, driver = next((pair for pair in found if all(pair)), (None, None))
    if program is None or driver is None:
        pytest.skip("no chromium with chromedriver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = webdriver.Chrome(options=options, service=Service(driver))
    yield session
    session.quit()


@pytest.fixture
def page(browser: webdriver.Chrome, tmp_path: Path) -> webdriver.Chrome:
    report = run_report(
        [scored()], verdict=Verdict(3, 0, (Failure("test", "why"),)), absent=["x"], corpus=tmp_path,
        registry=tmp_path / "r.csv", facts={}, draw=False,
    )  # fmt: skip
    (tmp_path / "report.html").write_text(render(report), encoding="utf-8")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get((tmp_path / "report.html").as_uri())
    return browser


@pytest.fixture
def prediction_page(browser: webdriver.Chrome, tmp_path: Path) -> webdriver.Chrome:
    report = run_report(
        [predictions.scored()], verdict=Verdict(3, 0, ()), absent=[], corpus=tmp_path, registry=tmp_path / "r.csv",
        facts={}, draw=False,
    )  # fmt: skip
    (tmp_path / "report.html").write_text(render(report), encoding="utf-8")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get((tmp_path / "report.html").as_uri())
    return browser


def column(page: webdriver.Chrome, number: int) -> list[str]:
    script = (
        "return [...document.querySelector('table.heat').tBodies[0].rows].map(r => r.cells[arguments[0]].innerText)"
    )
    cells: list[str] = page.execute_script(script, number)
    return [cell.split("\n")[0] for cell in cells]


def test_it_loads_without_a_word_in_the_console(page: webdriver.Chrome) -> None:
    assert page.title == "Robustness report"
    assert page.get_log("browser") == []  # type: ignore[no-untyped-call]


def test_a_table_sorts_by_mouse_and_by_keyboard(page: webdriver.Chrome) -> None:
    before = column(page, 1)
    button = page.find_elements(By.CSS_SELECTOR, "table.heat thead button")[1]
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    assert column(page, 1) == sorted(before, key=float) != before
    button.send_keys(Keys.ENTER)
    assert column(page, 1) == sorted(before, key=float, reverse=True)
    head = page.find_elements(By.CSS_SELECTOR, "table.heat thead th")[1]
    assert head.get_attribute("aria-sort") == "descending"


def test_what_is_not_defined_is_sorted_last(page: webdriver.Chrome) -> None:
    script = """
        const tables = [...document.querySelectorAll('table')];
        const table = tables.find(t => t.caption.textContent.startsWith('Subjects over'));
        const cells = () => [...table.tBodies[0].rows].map(r => r.cells[4].textContent);
        const button = table.tHead.querySelectorAll('button')[4];
        return [1, 2].map(() => { button.click(); return cells(); });
    """
    for cells in page.execute_script(script):
        assert cells[-1] == "n/a"
        assert "n/a" not in cells[:-1]


def test_links_lead_to_what_they_name(page: webdriver.Chrome) -> None:
    link = page.find_element(By.LINK_TEXT, "Model card")
    link.click()
    assert page.current_url.endswith("#card")
    top = page.execute_script("return document.getElementById('card').getBoundingClientRect().top")
    assert abs(top) < 50
    worst = page.find_element(By.CSS_SELECTOR, "table tbody th a")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", worst)
    label = worst.text
    worst.click()
    assert page.current_url.endswith(f"#{label}")


def test_it_fits_a_narrow_screen(page: webdriver.Chrome) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390


def test_the_page_of_predictions_loads_sorts_and_fits_a_narrow_screen(prediction_page: webdriver.Chrome) -> None:
    assert prediction_page.get_log("browser") == []  # type: ignore[no-untyped-call]
    before = column(prediction_page, 1)
    button = prediction_page.find_elements(By.CSS_SELECTOR, "table.heat thead button")[1]
    prediction_page.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    assert column(prediction_page, 1) == sorted(before, key=float)
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    prediction_page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert prediction_page.execute_script("return document.documentElement.scrollWidth") <= 390


def test_without_scripts_all_is_there_and_no_button_is_dead(page: webdriver.Chrome) -> None:
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    page.refresh()
    assert page.find_elements(By.TAG_NAME, "button") == []
    assert len(page.find_elements(By.CSS_SELECTOR, "table.heat tbody tr")) == 14
