from __future__ import annotations

from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair


@pytest.mark.parametrize("capture", captures("smi_error"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)
