"""Options of this test suite, and surroundings that are the same on every machine."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("smianalyze")
    group.addoption(
        "--update-fixtures",
        action="store_true",
        help="write fixtures/NAME/CASE.json anew; review the diff like code",
    )
    group.addoption(
        "--update-readme", action="store_true", help="write into README.md and docs/ what their commands print"
    )
    group.addoption("--update-notebook", action="store_true", help="store what the notebook shows now")
    group.addoption("--update-scores", action="store_true", help="raise tests/scores.json to what is reached now")


@pytest.fixture
def update_fixtures(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--update-fixtures"))


@pytest.fixture
def update_readme(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--update-readme"))


@pytest.fixture
def update_scores(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--update-scores"))


@pytest.fixture(autouse=True)
def fixed_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"COLUMNS": "80", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TZ": "UTC"}.items():
        monkeypatch.setenv(name, value)
